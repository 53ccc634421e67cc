"""Compares trajectories with PedPy, and runs the notebook of docs/trajectories.md.

usage: trajectories.py THRONG SAMPLES
THRONG is the program, SAMPLES a folder with PedPy's demonstration files. PedPy and IPython are needed.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import pedpy
import shapely

program, samples = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
CENTIMETRES = pedpy.TrajectoryUnit.CENTIMETER
BOTTLENECK = "petrack_bottleneck_040_c_56_h-.txt"
CORRIDOR = "uo-050-180-180_cm_no_header.txt"
# Each file with its reader in PedPy, and what throng is told.
READERS = {
    "jupedsim_v3.sqlite": (pedpy.load_trajectory_from_jupedsim_sqlite, {}, []),
    "ped_data_archive_single_file.h5": (pedpy.load_trajectory_from_ped_data_archive_hdf5, {}, []),
    "pathfinder.csv": (pedpy.load_trajectory_from_pathfinder_csv, {}, []),
    "pathfinder.json": (pedpy.load_trajectory_from_pathfinder_json, {}, []),
    "crowdit.csv.gz": (pedpy.load_trajectory_from_crowdit, {}, []),
    "vadere_bottleneck.traj": (pedpy.load_trajectory_from_vadere, {"frame_rate": 24.0}, []),
    BOTTLENECK: (pedpy.load_trajectory, {}, []),
    CORRIDOR: (
        pedpy.load_trajectory,
        {"default_frame_rate": 25.0, "default_unit": CENTIMETRES},
        ["--fps", "25", "--unit", "cm"],
    ),
}


def throng(*arguments, folder=None):
    done = subprocess.run([program, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def mean_speed(trajectory):
    """Mean of PedPy's speeds at all samples, over the samples 0.2 s before and after each."""
    reach = max(1, int(0.2 * trajectory.frame_rate + 0.5))
    return pedpy.compute_individual_speed(
        traj_data=trajectory, frame_step=reach, speed_calculation=pedpy.SpeedCalculation.BORDER_SINGLE_SIDED
    ).speed.mean()


def check_facts(name):
    """Agents, samples, frames, extent, most people at once and mean speed are PedPy's."""
    reader, options, told = READERS[name]
    trajectory = reader(trajectory_file=samples / name, **options)
    data = trajectory.data
    facts = json.loads(throng("info", samples / name, "--json", *told))["files"][0]
    own = [facts[key] for key in ("agents", "samples", "first_frame", "last_frame", "most_at_once")]
    theirs = [data.id.nunique(), len(data), data.frame.min(), data.frame.max(), data.groupby("frame").size().max()]
    assert own == theirs, (name, own, theirs)
    assert abs(facts["fps"] - trajectory.frame_rate) < 1e-6, (name, facts["fps"], trajectory.frame_rate)
    for axis in ("x", "y"):
        for mine, other in zip(facts["extent_m"][axis], (data[axis].min(), data[axis].max())):
            assert abs(mine - other) < 1e-3, (name, axis, mine, other)
    speed = mean_speed(trajectory)
    assert abs(facts["mean_speed_m_s"] - speed) <= 0.01 * speed, (name, facts["mean_speed_m_s"], speed)
    print(f"{name}: {own[0]} agents, {own[1]} samples, {facts['mean_speed_m_s']:.3f} m/s (PedPy: {speed:.3f})")
    return trajectory


def drawn_places(name, seconds, folder):
    """Places of people in a picture from above (m, axes of the file), by the ids of the file."""
    picture = folder / "picture.png"
    throng(
        "shot", "--trajectories", samples / name, "--smooth", "none", "--time", str(seconds), "--camera", "top",
        "--size", "640x640", "--adapter", "cpu", "--labels", "-o", picture,
        folder=folder,
    )
    labels = json.loads((folder / "picture.labels.json").read_text())
    places = {}
    for person in labels["annotations"]:
        x, _, z = person["extras"]["position"]
        places[int(person["extras"]["track"])] = (x, -z)
    return places


def check_density(name, trajectory, area, seconds, folder):
    """People of a picture in an area are as many as PedPy's classic density counts, and stand in its Voronoi cells."""
    measurement = pedpy.MeasurementArea(area)
    first = trajectory.data.frame.min()
    frame = round(first + seconds * trajectory.frame_rate)
    classic = pedpy.compute_classic_density(traj_data=trajectory, measurement_area=measurement)
    theirs = float(classic[classic.frame == frame].density.iloc[0])
    places = drawn_places(name, seconds, folder)
    inside = sum(shapely.contains_xy(measurement.polygon, *place) for place in places.values())
    assert abs(inside / measurement.area - theirs) < 1e-9, (name, seconds, inside / measurement.area, theirs)
    now = trajectory.data[trajectory.data.frame == frame].set_index("id")
    assert set(places) <= set(now.index), (name, seconds)
    worst = max((abs(now.x[id] - x) + abs(now.y[id] - y) for id, (x, y) in places.items()), default=0.0)
    assert worst < 0.01, (name, seconds, worst)
    print(f"{name}, {seconds} s: {inside / measurement.area:.2f} people per m² (PedPy: {theirs:.2f}), {worst:.4f} m apart")


def check_notebook(folder):
    """The notebook of the docs runs as it stands, with the program on the path."""
    text = (pathlib.Path(__file__).parent.parent / "docs/trajectories.md").read_text()
    cells = [cell for cell in re.findall(r"```python\n(.*?)```", text, re.S) if "pedpy" in cell]
    assert len(cells) == 1 and len([line for line in cells[0].splitlines() if line]) <= 10, cells
    (folder / "040_c_56_h-.txt").symlink_to(samples / BOTTLENECK)
    os.environ["PATH"] = f"{program.parent}:{os.environ['PATH']}"
    os.chdir(folder)
    exec(cells[0], {})
    size = (folder / "run.png").stat().st_size
    assert size > 10_000, size
    print(f"the notebook's picture has {size} bytes")


if __name__ == "__main__":
    read = {name: check_facts(name) for name in READERS}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for moment in (8, 20, 36):
            check_density(BOTTLENECK, read[BOTTLENECK], [(-1, 0.2), (1, 0.2), (1, 2.2), (-1, 2.2)], moment, folder)
        check_notebook(folder)
