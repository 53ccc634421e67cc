"""Python of README.md and docs compiles. Recipes and the notebook also run, in .ci/long."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

count = 0
for document in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
    text = document.read_text()
    for found in re.finditer(r"```python\n(.*?)```", text, re.S):
        line = text.count("\n", 0, found.start()) + 1
        # Blank lines before it let an error name the line of the document.
        compile("\n" * line + found[1], document, "exec")
        count += 1
assert count >= 6, count
print(f"{count} blocks of Python compile")
