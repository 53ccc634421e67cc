"""Reads labels with the readers of others, and compares all formats with COCO's.

usage: labels.py SET FILM.coco.json [SET of many formats] [SEQUENCE of many formats] [SET through lenses]
pycocotools is needed; motmetrics, webdataset, numpy and Pillow for the formats.
"""

import sys
from pathlib import Path

from pycocotools.coco import COCO


def check(path):
    """COCO: masks decode to the pixels and boxes that the labels state."""
    coco = COCO(path)
    people = 0
    for annotation in coco.loadAnns(coco.getAnnIds()):
        mask = coco.annToMask(annotation)
        image = coco.loadImgs([annotation["image_id"]])[0]
        assert mask.shape == (image["height"], image["width"]), annotation["id"]
        assert int(mask.sum()) == annotation["visible_pixels"] == annotation["area"], annotation["id"]
        x, y, w, h = annotation["bbox"]
        assert w > 0 and h > 0 and x >= 0 and y >= 0 and x + w <= image["width"] and y + h <= image["height"]
        assert int(mask.sum()) <= annotation["full_pixels"] <= w * h
        if annotation["visible_bbox"] is None:
            assert mask.sum() == 0
        else:
            vx, vy, vw, vh = annotation["visible_bbox"]
            columns, rows = mask.any(axis=0).nonzero()[0], mask.any(axis=1).nonzero()[0]
            assert (vx, vx + vw) == (columns[0], columns[-1] + 1), annotation["id"]
            assert (vy, vy + vh) == (rows[0], rows[-1] + 1), annotation["id"]
            # What is seen of somebody lies within the box of them alone.
            assert x <= vx and y <= vy and vx + vw <= x + w and vy + vh <= y + h, annotation["id"]
        if "amodal_segmentation" in annotation:
            amodal = coco.annToMask({**annotation, "segmentation": annotation["amodal_segmentation"]})
            assert int(amodal.sum()) == annotation["full_pixels"] and not (mask & ~amodal & 1).any()
        points = annotation["keypoints"]
        names = coco.loadCats([annotation["category_id"]])[0]["keypoints"]
        assert len(points) == 3 * len(names) and sum(v > 0 for v in points[2::3]) == annotation["num_keypoints"]
        people += 1
    assert people > 0, path
    print(f"{path}: {len(coco.imgs)} pictures, {people} people")
    return len(coco.imgs)


def people_of(folder, picture):
    """People of a picture by COCO's own file."""
    coco = COCO(str(picture).removesuffix(".png") + ".labels.json")
    return coco.loadAnns(coco.getAnnIds())


def pictures_of(folder):
    """Pictures that Ultralytics finds: those of the lists that data.yaml names."""
    import yaml

    data = yaml.safe_load((folder / "data.yaml").read_text())
    for split in ("train", "val"):
        for line in (folder / data[split]).read_text().splitlines():
            yield data, folder / line


def check_yolo(folder):
    """YOLO, by the rules of ultralytics.data.utils (img2label_paths, verify_image_label)."""
    import numpy

    boxes, worst = 0, 0.0
    for data, picture in pictures_of(folder):
        before, _, after = str(picture).rpartition("/images/")
        label = Path(f"{before}/labels/{after}" if before else str(picture)).with_suffix(".txt")
        rows = [line.split() for line in label.read_text().splitlines()]
        rows = numpy.array(rows, dtype=numpy.float32).reshape(len(rows), -1)
        people = people_of(folder, picture)
        assert len(rows) == len(people), label
        if not len(rows):
            continue
        points = data.get("kpt_shape", [0])[0]
        assert rows.shape[1] == 5 + 3 * points and rows.min() >= 0 and rows[:, 1:5].max() <= 1
        assert rows[:, 0].max() < len(data["names"])
        import PIL.Image

        width, height = PIL.Image.open(picture).size
        for row, person in zip(rows, people):
            x, y, w, h = row[1:5] * [width, height, width, height]
            box = numpy.array([x - w / 2, y - h / 2, w, h])
            worst = max(worst, abs(box - person["bbox"]).max())
            if points:
                own = row[5:].reshape(-1, 3) * [width, height, 1]
                worst = max(worst, abs(own.ravel() - person["keypoints"]).max())
            boxes += 1
    assert boxes > 0 and worst < 0.01, (boxes, worst)
    print(f"{folder}: {boxes} lines of YOLO, at most {worst:.4f} px from COCO's")


def check_kitti(folder):
    """KITTI: boxes are COCO's, and projected corners enclose what is seen, as KITTI's development kit draws them."""
    import numpy

    people, worst = 0, 0.0
    for picture in sorted(folder.glob("images/*/??????.png")):
        split, name = picture.parent.name, picture.stem
        lines = [line.split() for line in (folder / "label_2" / split / f"{name}.txt").read_text().splitlines()]
        calibration = dict(
            line.split(":") for line in (folder / "calib" / split / f"{name}.txt").read_text().splitlines()
        )
        projection = numpy.array(calibration["P2"].split(), dtype=float).reshape(3, 4)
        own = people_of(folder, picture)
        assert len(lines) == len(own), name
        for line, person in zip(lines, own):
            assert line[0] == "Pedestrian" and len(line) == 15
            left, top, right, bottom = map(float, line[4:8])
            assert [left, top, right - left + 1, bottom - top + 1] == person["bbox"]
            h, w, l, x, y, z, turn = map(float, line[8:15])
            corners = numpy.array([
                [l / 2, l / 2, -l / 2, -l / 2] * 2,
                [0] * 4 + [-h] * 4,
                [w / 2, -w / 2, -w / 2, w / 2] * 2,
            ])
            c, s = numpy.cos(turn), numpy.sin(turn)
            corners = numpy.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]) @ corners + numpy.array([[x], [y], [z]])
            pixels = projection @ numpy.vstack([corners, numpy.ones(8)])
            whole = person["extras"]["unclipped_bbox"]
            if (pixels[2] < 0.2).any() or whole is None:
                continue
            pixels = pixels[:2] / pixels[2]
            # A box holds the body: its picture encloses the body's box.
            wx, wy, ww, wh = whole
            out = [pixels[0].min() - wx, wx + ww - 1 - pixels[0].max()]
            out += [pixels[1].min() - wy, wy + wh - 1 - pixels[1].max()]
            worst = max(worst, *out)
            people += 1
    assert people > 0 and worst < 1, (people, worst)
    print(f"{folder}: {people} boxes of KITTI, bodies at most {worst:.3f} px outside")


def check_points(folder):
    """Key points in metres project to COCO's pixels."""
    import json

    import numpy

    points, distorted, worst = 0, 0, 0.0
    for path in sorted(folder.rglob("*.keypoints3d.json")):
        read = json.loads(path.read_text())
        camera = read["camera"]
        k1 = camera.get("distortion", [0.0])[0]
        distorted += k1 != 0
        intrinsics, transform = numpy.array(camera["intrinsics"]), numpy.array(camera["camera_from_world"])
        people = people_of(folder, str(path).replace(".keypoints3d.json", ".png"))
        assert [p["person"] for p in read["people"]] == [p["extras"]["person"] for p in people]
        for person, other in zip(read["people"], people):
            flat = numpy.array(other["keypoints"]).reshape(-1, 3)
            for world, own, pixel, seen in zip(person["world"], person["camera"], flat, person["visibility"]):
                assert seen == pixel[2]
                if not seen:
                    continue
                assert abs(transform @ [*world, 1] - own).max() < 1e-3
                # As OpenCV's projectPoints.
                x, y = numpy.array(own[:2]) / own[2]
                radial = 1 + k1 * (x * x + y * y)
                at = intrinsics @ [x * radial, y * radial, 1]
                worst = max(worst, abs(at[:2] / at[2] - pixel[:2]).max())
                points += 1
    assert points > 0 and worst < 1, (points, worst)
    print(f"{folder}: {points} key points in metres, at most {worst:.3f} px from COCO's, {distorted} pictures distorted")
    return distorted


def check_shards(folder):
    """Shards of WebDataset have the files of every picture under one key."""
    import webdataset

    keys = []
    for shard in sorted(map(str, folder.glob("shards/*.tar"))):
        for sample in webdataset.WebDataset(shard, shardshuffle=False):
            keys.append(sample["__key__"])
            picture = next(folder.glob(f"images/*/{sample['__key__'].split('/')[-1]}.png"))
            assert sample["png"] == picture.read_bytes()
            labels = picture.with_suffix("").with_suffix(".labels.json")
            assert sample["labels.json"] == labels.read_bytes()
    assert sorted(keys) == sorted(p.stem for p in folder.glob("images/*/??????.png")), keys
    print(f"{folder}: {len(keys)} samples in shards")


def check_depth(folder):
    """16-bit depth is that of KITTI: metres times 256."""
    import numpy
    import PIL.Image

    for path in folder.rglob("*.depth.png"):
        depth = numpy.array(PIL.Image.open(path))
        assert depth.dtype == numpy.uint16 or depth.dtype == numpy.int32, depth.dtype
        people = people_of(folder, str(path).replace(".depth.png", ".png"))
        for person in people:
            for (x, y, seen), metres in zip(
                numpy.array(person["keypoints"]).reshape(-1, 3), person["extras"]["keypoint_depths"]
            ):
                if seen == 2:
                    # The skin is before the joint, by a hand's breadth at most.
                    assert -0.6 < depth[int(y), int(x)] / 256 - metres < 60, (path, x, y)


def check_tracks(sequence, film):
    """MOTChallenge by motmetrics, MOTS by pycocotools: boxes and masks are COCO's."""
    import configparser

    import numpy

    # motmetrics 1.4 calls what NumPy 2 has removed.
    if not hasattr(numpy, "asfarray"):
        numpy.asfarray = lambda values: numpy.asarray(values, dtype=float)
    import motmetrics
    import numpy
    import PIL.Image
    from pycocotools import mask

    coco = COCO(film)
    images = sorted(coco.imgs)
    info = configparser.ConfigParser()
    info.read(sequence / "seqinfo.ini")
    assert int(info["Sequence"]["seqLength"]) == len(images)
    boxes = motmetrics.io.loadtxt(str(sequence / "gt" / "gt.txt"), fmt="mot15-2D", min_confidence=1)
    own = {
        (images.index(a["image_id"]) + 1, a["extras"]["person"]): a["extras"]["unclipped_bbox"] or a["bbox"]
        for a in coco.anns.values()
    }
    assert len(boxes) == len(own) > 0
    for (frame, person), row in boxes.iterrows():
        assert [row.X, row.Y, row.Width, row.Height] == own[frame, person], (frame, person)
    # A tracker that finds everybody is right everywhere.
    accumulator = motmetrics.utils.compare_to_groundtruth(boxes, boxes, "iou", distth=0.5)
    scores = motmetrics.metrics.create().compute(accumulator, metrics=["mota", "num_switches"], name="own")
    assert scores.mota["own"] == 1 and scores.num_switches["own"] == 0
    masks = {}
    for line in (sequence / "gt" / "mots.txt").read_text().splitlines():
        frame, identity, kind, height, width, counts = line.split()
        assert kind == "2" and int(identity) // 1000 == 2
        decoded = mask.decode({"size": [int(height), int(width)], "counts": counts.encode()})
        masks[int(frame), int(identity)] = decoded
    seen = [a for a in coco.anns.values() if a["visible_pixels"]]
    assert len(masks) == len(seen)
    for annotation in seen:
        key = (images.index(annotation["image_id"]) + 1, 1999 + annotation["extras"]["person"])
        assert masks[key].sum() == annotation["area"]
    pictures = sorted((sequence / "instances").glob("*.png"))
    for frame, path in enumerate(pictures, 1):
        instances = numpy.array(PIL.Image.open(path))
        for (own_frame, identity), decoded in masks.items():
            if own_frame == frame:
                assert ((instances == identity) == decoded.astype(bool)).all()
    video = COCO(next(str(path) for path in (sequence / "img1").glob("*.coco-video.json")))
    assert len(video.anns) == len(coco.anns) and len(video.dataset["videos"]) == 1
    assert all(a["track_id"] == a["extras"]["person"] for a in video.anns.values())
    print(f"{sequence}: {len(boxes)} boxes, {len(masks)} masks, {len(pictures)} pictures of instances")


def check_flow(sequence):
    """Both formats of optical flow hold the same vectors."""
    import struct

    import numpy
    import png

    flows = 0
    for path in (sequence / "img1").glob("*.flo"):
        bytes_ = path.read_bytes()
        tag, width, height = struct.unpack("<fii", bytes_[:12])
        assert tag == 202021.25
        flow = numpy.frombuffer(bytes_, "<f4", offset=12).reshape(height, width, 2)
        rows = png.Reader(filename=str(path.with_suffix(".flow.png"))).asDirect()[2]
        words = numpy.array([list(row) for row in rows], float).reshape(height, width, 3)
        valid = words[:, :, 2] == 1
        vectors = (words[:, :, :2] - 32768) / 64
        assert abs(vectors - flow)[valid].max() <= 1 / 128 + 1e-3 and valid.mean() > 0.5
        flows += 1
    assert flows > 0, f"{sequence}: no flows"
    print(f"{sequence}: {flows} flows equal in both formats")


def check_point_tracks(sequence):
    """Point tracks as TAP-Vid's readers take them: what is visible lies on its person's mask."""
    import numpy

    folder = next((sequence / "img1").glob("*.points"))
    example = {name: numpy.load(folder / f"{name}.npy", mmap_mode="r") for name in ("points", "occluded", "video")}
    person = numpy.load(folder / "person.npy")
    tracks, frames = example["occluded"].shape
    assert example["points"].shape == (tracks, frames, 2) and example["points"].dtype == numpy.float32
    assert example["occluded"].dtype == bool and person.shape == (tracks,)
    length, height, width, channels = example["video"].shape
    assert (length, channels) == (frames, 3) and example["video"].dtype == numpy.uint8
    # A query is the first visible frame of a track: every track has one (tapnet, sample_queries_first).
    assert not example["occluded"].all(axis=1).any()
    coco = COCO(str(next((sequence / "img1").glob("*.coco.json"))))
    images = sorted(coco.imgs)
    seen = 0
    for frame, image in enumerate(images):
        masks = {a["extras"]["person"]: coco.annToMask(a) for a in coco.loadAnns(coco.getAnnIds(imgIds=[image]))}
        for track in numpy.nonzero(~example["occluded"][:, frame])[0]:
            x, y = example["points"][track, frame] * [width, height]
            assert masks[person[track]][int(y), int(x)], (frame, track)
            seen += 1
    assert seen > 100, seen
    print(f"{sequence}: {tracks} point tracks, {seen} visible points on their person")


if __name__ == "__main__":
    folder, film = Path(sys.argv[1]), sys.argv[2]
    pictures = [check(str(path)) for path in sorted(folder.glob("annotations/*.json")) if COCO(str(path)).anns]
    assert sum(pictures) <= 4 and pictures, pictures
    assert check(film) == 48
    if len(sys.argv) > 3:
        many = Path(sys.argv[3])
        for path in sorted(many.glob("annotations/*.json")):
            if COCO(str(path)).anns:
                check(str(path))
        check_yolo(many)
        check_kitti(many)
        check_points(many)
        check_depth(many)
        check_shards(many)
    if len(sys.argv) > 4:
        sequence = Path(sys.argv[4])
        check_tracks(sequence, str(next((sequence / "img1").glob("*.coco.json"))))
        check_flow(sequence)
        check_point_tracks(sequence)
    if len(sys.argv) > 5:
        lens = Path(sys.argv[5])
        check(str(lens / "annotations" / "train.json"))
        check_yolo(lens)
        assert check_points(lens) == 3
        check_depth(lens)
