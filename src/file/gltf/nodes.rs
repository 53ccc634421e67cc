//! Node hierarchy: parents, rest transforms, and the nodes that clips move.

use std::collections::HashMap;

use ::gltf::json::{self, animation::Property, validation::Checked};
use glam::{DAffine3, DMat4, DQuat, DVec3, Mat4, Quat, Vec3};

use crate::{
    bake::retarget::plain_name,
    file::{ModelError, gltf::document::Document},
    model::Transform,
};

/// All nodes of the file with their place in the hierarchy, by glTF node index.
pub(crate) struct Nodes {
    /// Parent of each node.
    pub parents: Vec<Option<usize>>,
    /// All nodes, parents before children; siblings in file order.
    pub order: Vec<usize>,
    /// Local transform without animation.
    pub rest: Vec<Transform>,
    /// `model_from_node` without animation, in double precision.
    pub world: Vec<DAffine3>,
    /// True for nodes that some clip moves.
    pub animated: Vec<bool>,
    /// True for nodes of the scene that is drawn.
    pub in_scene: Vec<bool>,
    /// True for nodes that KHR_node_visibility or the user hides, themselves or with an ancestor.
    pub hidden: Vec<bool>,
    /// Name in the file, or `node N`.
    pub names: Vec<String>,
}

impl Nodes {
    /// Reads and checks the hierarchy.
    pub(crate) fn read(document: &Document<'_>, notes: &mut Vec<String>) -> Result<Self, ModelError> {
        let nodes = &document.root.nodes;
        let parents = parents(document)?;
        let order = order(document, &parents)?;
        let rest = nodes
            .iter()
            .enumerate()
            .map(|(i, node)| rest_transform(document, i, node, notes))
            .collect::<Result<Vec<_>, _>>()?;
        let mut world = vec![DAffine3::IDENTITY; nodes.len()];
        for &i in &order {
            let local = local(&rest[i]);
            world[i] = parents[i].map_or(local, |p| world[p] * local);
        }
        let mut animated = vec![false; nodes.len()];
        for channel in document.root.animations.iter().flat_map(|a| &a.channels) {
            let moves = channel.target.path != Checked::Valid(Property::MorphTargetWeights);
            if let Some(flag) = animated.get_mut(channel.target.node.value()) {
                *flag |= moves;
            }
        }
        let names = nodes.iter().enumerate().map(|(i, n)| match &n.name {
            Some(name) if !name.is_empty() => name.clone(),
            _ => format!("node {i}"),
        });
        let names: Vec<String> = names.collect();
        if !document.moved.is_empty() {
            for node in moved(document, &names, &parents, &order) {
                animated[node] = true;
            }
        }
        Ok(Self {
            in_scene: in_scene(document, &parents, &order)?,
            hidden: hidden(document, &parents, &order, &names),
            names,
            parents,
            order,
            rest,
            world,
            animated,
        })
    }

    /// `parent_from_node` at rest.
    pub(crate) fn local(&self, node: usize) -> DAffine3 {
        local(&self.rest[node])
    }
}

fn local(t: &Transform) -> DAffine3 {
    DAffine3::from_scale_rotation_translation(
        t.scale.as_dvec3(),
        t.rotation.as_dquat().normalize(),
        t.translation.as_dvec3(),
    )
}

fn parents(document: &Document<'_>) -> Result<Vec<Option<usize>>, ModelError> {
    let nodes = &document.root.nodes;
    let mut parents = vec![None; nodes.len()];
    for (i, node) in nodes.iter().enumerate() {
        for child in node.children.iter().flatten() {
            let place = format!("node {i}");
            let Some(parent) = parents.get_mut(child.value()) else {
                return Err(document.content(place, format!("its child {child} does not exist")));
            };
            if parent.replace(i).is_some() {
                return Err(document.content(place, format!("its child {child} has two parents")));
            }
        }
    }
    Ok(parents)
}

/// Order of nodes with parents before children, depth first in file order.
fn order(document: &Document<'_>, parents: &[Option<usize>]) -> Result<Vec<usize>, ModelError> {
    let nodes = &document.root.nodes;
    let mut order = Vec::with_capacity(nodes.len());
    let mut stack: Vec<usize> = (0..nodes.len()).rev().filter(|&i| parents[i].is_none()).collect();
    while let Some(i) = stack.pop() {
        order.push(i);
        stack.extend(nodes[i].children.iter().flatten().rev().map(|c| c.value()));
    }
    // Every node has at most one parent, so nodes that no root reaches lie on a cycle.
    if order.len() != nodes.len() {
        return Err(document.content("nodes", "the hierarchy contains a cycle"));
    }
    Ok(order)
}

/// Nodes that clips of other files move, by their plain names. A node below another of the same name does not count:
/// it is a mesh attached to the joint and named after it.
fn moved(document: &Document<'_>, names: &[String], parents: &[Option<usize>], order: &[usize]) -> Vec<usize> {
    let plain: Vec<String> = names.iter().map(|name| plain_name(name)).collect();
    // Nodes from a root to the current node, and how often each name occurs among them.
    let mut way: Vec<usize> = Vec::new();
    let mut names_above: HashMap<&str, usize> = HashMap::new();
    let mut found = Vec::new();
    for &node in order {
        while way.last().copied() != parents[node] {
            let Some(left) = way.pop() else { break };
            *names_above.entry(&plain[left]).or_default() -= 1;
        }
        let above = names_above.entry(&plain[node]).or_default();
        if *above == 0 && document.moved.contains(&plain[node]) {
            found.push(node);
        }
        *above += 1;
        way.push(node);
    }
    found
}

fn hidden(document: &Document<'_>, parents: &[Option<usize>], order: &[usize], names: &[String]) -> Vec<bool> {
    let mut hidden = vec![false; parents.len()];
    for &i in order {
        let extensions = document.root.nodes[i].extensions.as_ref();
        let visibility = extensions.and_then(|e| e.others.get("KHR_node_visibility"));
        let visible = visibility.and_then(|v| v.get("visible")?.as_bool()).unwrap_or(true);
        let asked = document.hide.contains(&names[i].to_lowercase());
        hidden[i] = !visible || asked || parents[i].is_some_and(|p| hidden[p]);
    }
    hidden
}

fn in_scene(document: &Document<'_>, parents: &[Option<usize>], order: &[usize]) -> Result<Vec<bool>, ModelError> {
    let root = &document.root;
    let index = root.scene.map_or(0, |s| s.value());
    let Some(scene) = root.scenes.get(index) else {
        if root.scene.is_some() {
            return Err(document.content("scene", format!("scene {index} does not exist")));
        }
        return Ok(vec![true; parents.len()]);
    };
    let mut inside = vec![false; parents.len()];
    for node in &scene.nodes {
        let flag = inside.get_mut(node.value());
        *flag.ok_or_else(|| document.content(format!("scene {index}"), format!("node {node} does not exist")))? = true;
    }
    for &i in order {
        inside[i] |= parents[i].is_some_and(|p| inside[p]);
    }
    Ok(inside)
}

fn rest_transform(
    document: &Document<'_>,
    index: usize,
    node: &json::Node,
    notes: &mut Vec<String>,
) -> Result<Transform, ModelError> {
    let place = || match &node.name {
        Some(name) => format!("node {index} \"{name}\""),
        None => format!("node {index}"),
    };
    let transform = match node.matrix {
        Some(matrix) => {
            let matrix = Mat4::from_cols_array(&matrix);
            let transform = decompose(matrix);
            let error = shear(matrix, transform);
            if error > 1e-3 {
                notes.push(format!(
                    "{}: its matrix has shear ({:.1} % of its size), which is ignored",
                    place(),
                    error * 100.0
                ));
            }
            transform
        }
        None => Transform {
            translation: node.translation.map_or(Vec3::ZERO, Vec3::from),
            rotation: node
                .rotation
                .map_or(Quat::IDENTITY, |q| normalized(Quat::from_array(q.0))),
            scale: node.scale.map_or(Vec3::ONE, Vec3::from),
        },
    };
    if transform.translation.is_finite() && transform.rotation.is_finite() && transform.scale.is_finite() {
        Ok(transform)
    } else {
        Err(document.content(place(), "its transform is not finite"))
    }
}

/// Normalised quaternion; the identity for zeros. One that is unit length already keeps every bit.
pub(crate) fn normalized(q: Quat) -> Quat {
    let wide = q.as_dquat();
    match wide.length() {
        length if (length - 1.0).abs() < 5e-7 => q,
        length if length > 0.0 => wide.normalize().as_quat(),
        _ => Quat::IDENTITY,
    }
}

/// Decomposes a matrix into translation, rotation and scale; axes of zero length are completed to a rotation.
fn decompose(matrix: Mat4) -> Transform {
    let m = matrix.as_dmat4();
    let [mut x, mut y, mut z] = [m.x_axis, m.y_axis, m.z_axis].map(|c| c.truncate());
    let mut scale = DVec3::new(x.length(), y.length(), z.length());
    if x.cross(y).dot(z) < 0.0 {
        scale.x = -scale.x;
    }
    x /= if scale.x == 0.0 { 1.0 } else { scale.x };
    y /= if scale.y == 0.0 { 1.0 } else { scale.y };
    z /= if scale.z == 0.0 { 1.0 } else { scale.z };
    match [scale.x == 0.0, scale.y == 0.0, scale.z == 0.0] {
        [false, false, false] => {}
        [true, false, false] => x = y.cross(z),
        [false, true, false] => y = z.cross(x),
        [false, false, true] => z = x.cross(y),
        _ => [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z],
    }
    let rotation = DQuat::from_mat3(&glam::DMat3::from_cols(x, y, z)).normalize();
    Transform {
        translation: m.w_axis.truncate().as_vec3(),
        rotation: rotation.as_quat(),
        scale: scale.as_vec3(),
    }
}

/// Error of a decomposition, relative to the matrix's size.
fn shear(matrix: Mat4, transform: Transform) -> f32 {
    let rebuilt = Mat4::from(transform.to_affine());
    let columns = |m: Mat4| [m.x_axis, m.y_axis, m.z_axis];
    let lost = columns(matrix - rebuilt)
        .iter()
        .map(|c| c.truncate().length())
        .fold(0.0, f32::max);
    let size = columns(matrix)
        .iter()
        .map(|c| c.truncate().length())
        .fold(0.0, f32::max);
    if size > 0.0 { lost / size } else { 0.0 }
}

/// Inverse, or `None` if the matrix flattens space (or nearly so).
pub(crate) fn invert(m: DAffine3) -> Option<DAffine3> {
    let scale = [m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis].map(DVec3::length);
    let (low, high) = (
        scale.iter().copied().fold(f64::INFINITY, f64::min),
        scale.iter().copied().fold(0.0, f64::max),
    );
    let volume = m.matrix3.determinant().abs() / (scale[0] * scale[1] * scale[2]);
    let inverse = m.inverse();
    let sound = low > high * 1e-6 && volume > 1e-6 && DMat4::from(inverse).is_finite();
    sound.then_some(inverse)
}
