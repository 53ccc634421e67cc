"""Reads labels with pycocotools: masks decode to the pixels and boxes that the labels state."""

import sys
from pathlib import Path

from pycocotools.coco import COCO


def check(path):
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
        points = annotation["keypoints"]
        assert len(points) == 51 and sum(v > 0 for v in points[2::3]) == annotation["num_keypoints"]
        people += 1
    assert people > 0, path
    print(f"{path}: {len(coco.imgs)} pictures, {people} people")
    return len(coco.imgs)


folder, film = Path(sys.argv[1]), sys.argv[2]
pictures = [check(str(path)) for path in sorted(folder.glob("annotations/*.json")) if COCO(str(path)).anns]
assert sum(pictures) <= 4 and pictures, pictures
assert check(film) == 48
