//! Changes the JSON of a binary glTF file.

/// The file with its JSON as `change` leaves it.
pub fn edited(bytes: &[u8], change: impl FnOnce(&mut serde_json::Value)) -> Vec<u8> {
    let length = u32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]) as usize;
    let mut json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).expect("JSON");
    change(&mut json);
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let rest = &bytes[20 + length..];
    let total = (20 + text.len() + rest.len()) as u32;
    let header = [
        &b"glTF"[..],
        &2_u32.to_le_bytes(),
        &total.to_le_bytes(),
        &(text.len() as u32).to_le_bytes(),
        b"JSON",
    ];
    [&header.concat()[..], &text, rest].concat()
}
