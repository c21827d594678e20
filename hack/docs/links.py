"""Hook of mkdocs: docs/ is read in the repository too, so its links to files outside docs/ lead to the repository from the site."""

import posixpath
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"(\]\()([^)\s#:]+)(#[^)\s]*)?(\))")
FENCE = re.compile(r"(^ *```.*?^ *```)", re.MULTILINE | re.DOTALL)


def on_page_markdown(markdown, page, config, files):
    """Rewrites the links of one page; a link to nothing is left, for mkdocs to complain about."""
    if page.file.src_uri.startswith("reference/"):
        return markdown
    source = "README.md" if page.file.src_uri == "index.md" else "docs/" + page.file.src_uri

    def rewrite(match):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), match[2]))
        anchor = match[3] or ""
        if not (ROOT / target).exists():
            return match[0]
        if target == "README.md":
            return f"{match[1]}{relative('index.md', page)}{anchor}{match[4]}"
        if target.startswith("docs/") and target.endswith(".md"):
            return f"{match[1]}{relative(target[len('docs/'):], page)}{anchor}{match[4]}"
        kind = "tree" if (ROOT / target).is_dir() else "blob"
        return f"{match[1]}{config['repo_url']}/{kind}/main/{target}{anchor}{match[4]}"

    parts = FENCE.split(markdown)
    return "".join(part if i % 2 else LINK.sub(rewrite, part) for i, part in enumerate(parts))


def relative(target, page):
    return posixpath.relpath(target, posixpath.dirname(page.file.src_uri) or ".")
