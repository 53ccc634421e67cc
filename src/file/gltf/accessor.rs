//! Typed reading of accessors: every component type, normalised integers, strides, sparse substitution,
//! meshopt-compressed views.
//! Every byte range is checked against its buffer.

use ::gltf::json::{
    self, Index,
    accessor::{Accessor, ComponentType, Type, sparse::Sparse},
    validation::Checked,
};

use glam::Vec3;

use crate::file::{ModelError, gltf::document::Document};

/// Range of bytes in a buffer with the distance between elements, if stated.
struct AccessorView<'a> {
    bytes: &'a [u8],
    stride: Option<usize>,
}

/// Layout of an accessor's elements.
#[derive(Clone, Copy)]
struct AccessorLayout {
    component: ComponentType,
    /// Number of components of an element.
    width: usize,
    /// Size of an element without stride padding (bytes).
    element: usize,
    normalized: bool,
    count: usize,
}

impl Document<'_> {
    /// Reads elements as `N` floats each; integers are normalised if the accessor says so (glTF 2.0, section 3.6.2.2),
    /// otherwise converted as they are.
    pub(crate) fn floats<const N: usize>(
        &self,
        accessor: Index<Accessor>,
        place: &str,
    ) -> Result<Vec<[f32; N]>, ModelError> {
        self.read(accessor, place, N, |layout, bytes, at| {
            std::array::from_fn(|i| float(layout, bytes, at + i * size_of(layout.component)))
        })
    }

    /// Reads elements as [`Document::floats`] and returns vectors.
    pub(crate) fn vectors(&self, accessor: Index<Accessor>, place: &str) -> Result<Vec<Vec3>, ModelError> {
        let values = self.floats::<3>(accessor, place)?;
        Ok(values.into_iter().map(Vec3::from).collect())
    }

    /// Reads elements as `N` unsigned integers each.
    pub(crate) fn integers<const N: usize>(
        &self,
        accessor: Index<Accessor>,
        place: &str,
    ) -> Result<Vec<[u32; N]>, ModelError> {
        let component = self.accessor(accessor, place)?.component_type;
        if let Checked::Valid(json::accessor::GenericComponentType(ComponentType::F32)) = component {
            return Err(self.content(place, "has float components instead of unsigned integers"));
        }
        self.read(accessor, place, N, |layout, bytes, at| {
            std::array::from_fn(|i| integer(layout.component, bytes, at + i * size_of(layout.component)))
        })
    }

    /// Number of components of an accessor's elements (3 or 4 for colours).
    pub(crate) fn width(&self, accessor: Index<Accessor>, place: &str) -> Result<usize, ModelError> {
        Ok(self.layout(self.accessor(accessor, place)?, place)?.width)
    }

    fn accessor(&self, index: Index<Accessor>, place: &str) -> Result<&Accessor, ModelError> {
        let found = self.root.accessors.get(index.value());
        found.ok_or_else(|| self.content(place, format!("refers to accessor {index}, which does not exist")))
    }

    fn layout(&self, accessor: &Accessor, place: &str) -> Result<AccessorLayout, ModelError> {
        let Checked::Valid(component) = accessor.component_type else {
            return Err(self.content(place, "its accessor has an unknown component type"));
        };
        let Checked::Valid(type_) = accessor.type_ else {
            return Err(self.content(place, "its accessor has an unknown type"));
        };
        let width = match type_ {
            Type::Scalar => 1,
            Type::Vec2 => 2,
            Type::Vec3 => 3,
            Type::Vec4 | Type::Mat2 => 4,
            Type::Mat3 => 9,
            Type::Mat4 => 16,
        };
        let count = usize::try_from(accessor.count.0).unwrap_or(usize::MAX);
        Ok(AccessorLayout {
            component: component.0,
            width,
            element: width * size_of(component.0),
            normalized: accessor.normalized,
            count,
        })
    }

    fn read<T: Clone>(
        &self,
        index: Index<Accessor>,
        place: &str,
        width: usize,
        element: impl Fn(AccessorLayout, &[u8], usize) -> T,
    ) -> Result<Vec<T>, ModelError> {
        let accessor = self.accessor(index, place)?;
        let layout = self.layout(accessor, place)?;
        let fail = |problem: String| self.content(place, format!("accessor {index}: {problem}"));
        if layout.width != width {
            return Err(fail(format!("has {} components instead of {width}", layout.width)));
        }
        let zero = element(layout, &[0; 64], 0);
        let elements_wanted = (layout.count as u64).saturating_mul(width as u64);
        let mut values = match accessor.buffer_view {
            None => {
                if elements_wanted > self.capacity() {
                    return Err(fail(format!(
                        "declares {} elements, far more than its file can hold",
                        layout.count
                    )));
                }
                self.spend(elements_wanted, place)?;
                vec![zero; layout.count]
            }
            Some(view) => {
                let view = self.view(view.value()).map_err(fail)?;
                let offset = accessor.byte_offset.map_or(0, |o| o.0);
                let places = elements(&view, offset, layout).map_err(fail)?;
                self.spend(elements_wanted, place)?;
                places.map(|at| element(layout, view.bytes, at)).collect()
            }
        };
        if let Some(sparse) = &accessor.sparse {
            self.substitute(sparse, layout, &mut values, element).map_err(fail)?;
        }
        Ok(values)
    }

    /// Replaces the elements that a sparse accessor lists (glTF 2.0, section 3.6.2.3).
    fn substitute<T>(
        &self,
        sparse: &Sparse,
        layout: AccessorLayout,
        values: &mut [T],
        element: impl Fn(AccessorLayout, &[u8], usize) -> T,
    ) -> Result<(), String> {
        let Checked::Valid(index_type) = sparse.indices.component_type else {
            return Err("its sparse indices have an unknown type".into());
        };
        let count = usize::try_from(sparse.count.0).unwrap_or(usize::MAX);
        if count > layout.count {
            return Err("it has more sparse values than elements".into());
        }
        let key_layout = AccessorLayout {
            component: index_type.0,
            width: 1,
            element: size_of(index_type.0),
            normalized: false,
            count,
        };
        let keys = self.view(sparse.indices.buffer_view.value())?;
        let content = self.view(sparse.values.buffer_view.value())?;
        let key_places = elements(&keys, sparse.indices.byte_offset.0, key_layout)?;
        let places = elements(
            &content,
            sparse.values.byte_offset.0,
            AccessorLayout { count, ..layout },
        )?;
        for (key_at, at) in key_places.zip(places) {
            let key = integer(index_type.0, keys.bytes, key_at) as usize;
            let slot = values.get_mut(key).ok_or("a sparse index is out of range")?;
            *slot = element(layout, content.bytes, at);
        }
        Ok(())
    }

    fn view(&self, index: usize) -> Result<AccessorView<'_>, String> {
        let missing = || format!("refers to buffer view {index}, which does not exist");
        let view = self.root.buffer_views.get(index).ok_or_else(missing)?;
        let stride = view.byte_stride.map(|s| s.0);
        if let Some(Some(bytes)) = self.decoded_views.get(index) {
            return Ok(AccessorView { bytes, stride });
        }
        self.raw_view(index).map(|bytes| AccessorView { bytes, stride })
    }

    /// Bytes of a plain buffer view (images use it too).
    pub(crate) fn raw_view(&self, index: usize) -> Result<&[u8], String> {
        let missing = || format!("refers to buffer view {index}, which does not exist");
        let view = self.root.buffer_views.get(index).ok_or_else(missing)?;
        let buffer = self.buffers.get(view.buffer.value());
        let buffer = buffer.ok_or_else(|| format!("buffer view {index} refers to a missing buffer"))?;
        let start = usize::try_from(view.byte_offset.map_or(0, |o| o.0)).ok();
        let length = usize::try_from(view.byte_length.0).ok();
        let range = start.zip(length).and_then(|(s, l)| Some(s..s.checked_add(l)?));
        let bytes = range.and_then(|range| buffer.get(range));
        bytes.ok_or_else(|| format!("buffer view {index} exceeds its buffer"))
    }

    /// Buffer view of a LOD; its words count as elements read.
    pub(crate) fn lod_view(&self, index: usize) -> Result<&[u8], String> {
        let bytes = self.raw_view(index)?;
        let spent = self.spend(bytes.len() as u64 / 4, "levels of detail");
        spent.map(|()| bytes).map_err(|error| error.to_string())
    }
}

/// Byte offsets of the elements, after checking that the last one ends inside the view.
fn elements(
    view: &AccessorView<'_>,
    offset: u64,
    layout: AccessorLayout,
) -> Result<impl Iterator<Item = usize>, String> {
    let past = || format!("its {} elements exceed the buffer view", layout.count);
    let stride = view.stride.unwrap_or(layout.element);
    if stride < layout.element {
        return Err(format!("its stride {stride} is smaller than an element"));
    }
    let offset = usize::try_from(offset).map_err(|_| past())?;
    if let Some(last) = layout.count.checked_sub(1) {
        let end = last
            .checked_mul(stride)
            .and_then(|x| x.checked_add(offset)?.checked_add(layout.element));
        if end.is_none_or(|end| end > view.bytes.len()) {
            return Err(past());
        }
    }
    Ok((0..layout.count).map(move |i| offset + i * stride))
}

fn size_of(component: ComponentType) -> usize {
    match component {
        ComponentType::I8 | ComponentType::U8 => 1,
        ComponentType::I16 | ComponentType::U16 => 2,
        ComponentType::U32 | ComponentType::F32 => 4,
    }
}

fn take<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|i| bytes[at + i])
}

fn float(layout: AccessorLayout, bytes: &[u8], at: usize) -> f32 {
    let n = layout.normalized;
    let scaled = |value: f32, max: f32| if n { (value / max).max(-1.0) } else { value };
    match layout.component {
        ComponentType::I8 => scaled(f32::from(i8::from_le_bytes(take(bytes, at))), 127.0),
        ComponentType::U8 => scaled(f32::from(bytes[at]), 255.0),
        ComponentType::I16 => scaled(f32::from(i16::from_le_bytes(take(bytes, at))), 32767.0),
        ComponentType::U16 => scaled(f32::from(u16::from_le_bytes(take(bytes, at))), 65535.0),
        ComponentType::U32 => u32::from_le_bytes(take(bytes, at)) as f32,
        ComponentType::F32 => f32::from_le_bytes(take(bytes, at)),
    }
}

fn integer(component: ComponentType, bytes: &[u8], at: usize) -> u32 {
    match component {
        ComponentType::I8 | ComponentType::U8 => u32::from(bytes[at]),
        ComponentType::I16 | ComponentType::U16 => u32::from(u16::from_le_bytes(take(bytes, at))),
        ComponentType::U32 | ComponentType::F32 => u32::from_le_bytes(take(bytes, at)),
    }
}
