//! Text form of [`Info`](super::Info) for a terminal.

use std::fmt;

use crate::atlas::info::{ClipInfo, Info, MaterialInfo};

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = [0, 1, 2].map(|a| self.mesh.bounds_max[a] - self.mesh.bounds_min[a]);
        writeln!(f, "{}", self.name)?;
        writeln!(
            f,
            "  size       {:.3} x {:.3} x {:.3} m at rest",
            size[0], size[1], size[2]
        )?;
        writeln!(
            f,
            "  mesh       {} vertices{}, {} triangles",
            self.mesh.vertices,
            if self.tangents { " with tangents" } else { "" },
            self.mesh.triangles
        )?;
        for lod in &self.mesh.lods {
            let (rows, off) = (lod.max_sample_rows, lod.worst_mm);
            if lod.is_splats {
                writeln!(
                    f,
                    "  LOD        {} splats: up to {rows:.0} sample rows, worst error {off:.1} mm",
                    lod.triangles
                )?;
                continue;
            }
            write!(
                f,
                "  LOD        {} vertices, {} triangles: up to {rows:.0} sample rows, worst vertex error {off:.1} mm",
                lod.vertices, lod.triangles
            )?;
            match lod.morphs.iter().sum::<u32>() {
                0 => writeln!(f)?,
                deltas => writeln!(f, ", {deltas} deltas of morph targets")?,
            }
        }
        self.influences(f)?;
        writeln!(
            f,
            "  skeleton   {} joints, {} palette slots",
            self.skeleton.joints.len(),
            self.skeleton.slots
        )?;
        self.tree(f)?;
        for (name, vertices) in &self.mesh.morphs {
            writeln!(f, "  morph      {name} moves {vertices} vertices")?;
        }
        for (name, joint) in &self.skeleton.sockets {
            writeln!(f, "  socket     {name} on {joint}")?;
        }
        for name in &self.choices.parts {
            let left_out = if self.choices.hidden.contains(name) {
                " (left out)"
            } else {
                ""
            };
            writeln!(f, "  part       {name}{left_out}")?;
        }
        if !self.choices.expressions.is_empty() {
            writeln!(f, "  expression {}", self.choices.expressions.join(", "))?;
        }
        for name in &self.choices.variants {
            writeln!(f, "  variant    {name}")?;
        }
        for (index, material) in self.materials.iter().enumerate() {
            write_material(f, index, material)?;
        }
        for (index, clip) in self.clips.iter().enumerate() {
            write_clip(f, index, clip)?;
        }
        writeln!(f, "  at {} Hz   {} frames", self.sampling.rate, self.sampling.frames)?;
        for size in &self.sampling.sizes {
            writeln!(f, "    {:<9}{:>12} bytes", size.format, size.bytes)?;
        }
        if let Some(baked) = &self.sampling.baked {
            let name = baked.format.name();
            writeln!(f, "  baked      {name}, {} frames, {} bytes", baked.frames, baked.bytes)?;
        }
        let lines =
            |kind: &'static str, list: &[String]| list.iter().map(move |l| format!("  {kind:<11}{l}")).collect();
        let (notes, dropped): (Vec<_>, Vec<_>) = (lines("note", &self.notes), lines("dropped", &self.dropped));
        notes.iter().chain(&dropped).try_for_each(|line| writeln!(f, "{line}"))
    }
}

impl Info {
    /// Number of vertices by count of influences; counts above four are listed only where they occur.
    fn influences(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, two, three, four, ref more @ ..] = self.mesh.influences;
        write!(
            f,
            "  influences {one} vertices with one, {two} two, {three} three, {four} four"
        )?;
        if more.iter().any(|&count| count > 0) {
            write!(f, ", {} five to eight", more.iter().sum::<u32>())?;
        }
        match self.mesh.reduced_vertices {
            0 => writeln!(f),
            n => writeln!(f, " ({n} had more)"),
        }
    }

    /// The hierarchy as a tree; each name is followed by the number of vertices that follow the joint.
    fn tree(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut children = vec![Vec::new(); self.skeleton.joints.len()];
        let mut stack = Vec::new();
        for (index, joint) in self.skeleton.joints.iter().enumerate() {
            match joint.parent {
                Some(parent) => children[parent as usize].push(index),
                None => stack.push((index, String::from("    "), true, true)),
            }
        }
        stack.reverse();
        while let Some((index, prefix, last, root)) = stack.pop() {
            let joint = &self.skeleton.joints[index];
            let branch = match (root, last) {
                (true, _) => "",
                (_, true) => "└ ",
                (_, false) => "├ ",
            };
            write!(f, "{prefix}{branch}{}", joint.name)?;
            match joint.vertices {
                0 => writeln!(f)?,
                n => writeln!(f, "  ({n})")?,
            }
            let below = match (root, last) {
                (true, _) => prefix,
                (_, true) => prefix + "  ",
                (_, false) => prefix + "│ ",
            };
            let count = children[index].len();
            for (place, &child) in children[index].iter().enumerate().rev() {
                stack.push((child, below.clone(), place + 1 == count, false));
            }
        }
        Ok(())
    }
}

fn write_material(f: &mut fmt::Formatter<'_>, index: usize, m: &MaterialInfo) -> fmt::Result {
    write!(
        f,
        "  material   {index} {}: {} triangles, {}",
        m.name, m.triangles, m.alpha
    )?;
    let flags = [(m.double_sided, ", double-sided"), (m.unlit, ", unlit")];
    for (_, text) in flags.into_iter().filter(|(set, _)| *set) {
        write!(f, "{text}")?;
    }
    writeln!(f)?;
    m.textures
        .iter()
        .try_for_each(|(kind, image)| writeln!(f, "    {kind:<19} {image}"))
}

fn write_clip(f: &mut fmt::Formatter<'_>, index: usize, c: &ClipInfo) -> fmt::Result {
    let kinds = c.interpolation.join("/");
    write!(
        f,
        "  clip       {index} {}: {:.3} s, {} channels, {} keys {kinds}",
        c.name, c.duration, c.channels, c.keys
    )?;
    if let Some(rate) = c.key_rate {
        write!(f, " at {rate} Hz")?;
    }
    if c.file_start != 0.0 {
        write!(f, ", starts at {:.3} s in the file", c.file_start)?;
    }
    if !c.events.is_empty() {
        write!(f, ", events {}", c.events.join(" "))?;
    }
    writeln!(f)
}
