"""Recipes of docs/labels.md, tried as they stand there, each where its package is installed.

usage: recipes.py FOLDER

FOLDER has `crowd`, a set with --label-formats yolo,webdataset, and `films/walk`, a film with --label-formats mot,mots.
"""

import importlib.util
import os
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def block(text):
    """The only block of code in docs/labels.md that has a text."""
    found = [own for own in re.findall(r"```\w*\n(.*?)```", (ROOT / "docs/labels.md").read_text(), re.S) if text in own]
    assert len(found) == 1, (text, len(found))
    return found[0]


def boxes_of(split):
    from pycocotools.coco import COCO

    return COCO(f"crowd/annotations/{split}.json")


def pytorch():
    names = {}
    exec(block("webdataset as wds"), names)
    import torch

    coco, pictures = boxes_of("train"), 0
    for (image, boxes), own in zip(names["data"], sorted(coco.imgs)):
        assert image.shape == (3, 180, 320) and image.dtype == torch.uint8
        assert len(boxes) == len(coco.getAnnIds(imgIds=[own])) and (boxes[:, 2:] > boxes[:, :2]).all()
        pictures += 1
    assert pictures == len(coco.imgs)
    batch = torch.utils.data.DataLoader(names["data"], batch_size=None, num_workers=1)
    assert sum(1 for _ in batch) == pictures
    return f"{pictures} pictures"


def ultralytics():
    from ultralytics.data.dataset import YOLODataset
    from ultralytics.data.utils import check_det_dataset

    data = check_det_dataset("crowd/data.yaml", autodownload=False)
    people = 0
    for split in ("train", "val"):
        for own in YOLODataset(img_path=data[split], data=data, task="detect", augment=False).labels:
            people += len(own["cls"])
    assert people == sum(len(boxes_of(split).anns) for split in ("train", "val"))
    from ultralytics import YOLO

    # The recipe's command, with a small network without weights and one epoch.
    assert "yolo detect train data=crowd/data.yaml" in block("yolo detect train")
    YOLO("yolo11n.yaml").train(data="crowd/data.yaml", epochs=1, imgsz=64, batch=2, workers=0, plots=False)
    return f"{people} people, one epoch"


def detectron2():
    recipe = block("detectron2.config").replace("DefaultTrainer(cfg).train()", "")
    names = {}
    exec(recipe, names)
    from detectron2.data import DatasetCatalog

    people = sum(len(one["annotations"]) for one in DatasetCatalog.get("crowd_train"))
    assert people == len(boxes_of("train").anns)
    return f"{people} people"


def mmpose():
    from mmpose.datasets import CocoDataset

    data = CocoDataset(ann_file="annotations/train.json", data_root="crowd/", data_prefix={"img": "images/train/"}, pipeline=[])
    assert len(data) > 0 and data.get_data_info(0)["keypoints"].shape == (1, 17, 2)
    return f"{len(data)} people"


def trackeval():
    import numpy

    # TrackEval calls what NumPy 1.24 has removed.
    for name, own in (("float", float), ("int", int), ("bool", bool)):
        if not hasattr(numpy, name):
            setattr(numpy, name, own)
    # A tracker that finds everybody, in the format of results.
    results = Path("trackers/mine/data")
    results.mkdir(parents=True, exist_ok=True)
    rows = [line.split(",") for line in Path("films/walk/gt/gt.txt").read_text().splitlines()]
    (results / "walk.txt").write_text("".join(",".join(row[:6]) + ",1,-1,-1,-1\n" for row in rows))
    names = {}
    exec(block("import trackeval"), names)
    scores, _ = names["evaluator"].evaluate([names["data"]], [names["trackeval"].metrics.HOTA()])
    own = scores["MotChallenge2DBox"]["mine"]["walk"]["pedestrian"]["HOTA"]["HOTA"].mean()
    assert own > 0.999, own
    return f"HOTA {own:.3f} of the truth itself"


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    shutil.rmtree("trackers", ignore_errors=True)
    for recipe, package in (
        (pytorch, "torch"), (ultralytics, "ultralytics"), (detectron2, "detectron2"), (mmpose, "mmpose"), (trackeval, "trackeval"),
    ):
        if importlib.util.find_spec(package) is None:
            print(f"{package}: skipped, it is not installed")
            continue
        print(f"{package}: {recipe()}")
