#!/usr/bin/python3
"""Renders the documents as a folder of pages, and checks their links.

  docs/render.py FOLDER

Each *.md file that git knows becomes a page; files that pages link to are
copied. Prints every link that leads nowhere, and then ends with status 1.
"""

import html
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser

import markdown
from markdown.extensions.toc import TocExtension

STYLE = """
:root { color-scheme: light dark; --line: #8884; --code: #8881; }
body { font: 16px/1.55 system-ui, sans-serif; margin: 0 auto; max-width: 52rem;
  padding: 1.5rem; }
nav { border-bottom: 1px solid var(--line); font-size: 14px; }
nav a { margin-right: 1rem; }
code, pre { background: var(--code); border-radius: 4px;
  font: 14px/1.45 ui-monospace, monospace; }
code { padding: 1px 4px; }
pre { overflow-x: auto; padding: .75rem 1rem; }
pre code { background: none; padding: 0; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
td, th { border: 1px solid var(--line); padding: 4px 10px; text-align: left;
  vertical-align: top; }
img { max-width: 100%; }
h1, h2, h3 { line-height: 1.25; }
"""
NAV = [("README.md", "bvhmill"), ("docs/install.md", "Install"),
       ("docs/command-line.md", "Command line"), ("docs/python.md", "Python"),
       ("docs/web.md", "Browser and Node"), ("docs/library.md", "C++"),
       ("docs/http.md", "HTTP"), ("docs/api.md", "gRPC"),
       ("docs/operations.md", "Operations"), ("docs/issues.md", "Issues")]


class Page(HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src"):
                self.links.append(value)
            elif name in ("id", "name"):
                self.anchors.add(value)


def slug(text, _separator):
    """The anchor of a heading, as forges make it."""
    text = re.sub(r"[^\w\- ]", "", html.unescape(text).strip().lower())
    return text.replace(" ", "-")


def is_outside(link):
    return re.match(r"[a-z]+:", link) is not None


def page_name(path):
    if path == "README.md":
        return "index.html"
    return re.sub(r"\.md$", ".html", path)


def page_link(link, source):
    """A link of a document, as a link between pages."""
    if is_outside(link) or link.startswith("#"):
        return link
    path, mark, anchor = link.partition("#")
    target = os.path.normpath(os.path.join(os.path.dirname(source), path))
    if path.endswith(".md"):
        path = os.path.relpath(page_name(target),
                               os.path.dirname(page_name(source)) or ".")
    return path + mark + anchor


def render(source):
    with open(source, encoding="utf-8") as file:
        text = file.read()
    body = markdown.markdown(text, extensions=[
        "tables", "fenced_code", "sane_lists", TocExtension(slugify=slug)])
    body = re.sub(r'(href|src)="([^"]*)"', lambda link: '{}="{}"'.format(
        link[1], page_link(link[2], source)), body)
    title = re.search(r"^# (.*)$", text, re.MULTILINE)
    nav = "".join(
        f'<a href="{page_link(os.path.relpath(path, os.path.dirname(source) or "."), source)}">'
        f"{name}</a>" for path, name in NAV)
    return (f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width">\n'
            f"<title>{html.escape(title[1] if title else source)}</title>\n"
            f"<style>{STYLE}</style>\n<nav>{nav}</nav>\n{body}\n</html>\n")


def lost_links(folder, pages):
    """Links to files or anchors that do not exist. Copies linked files."""
    for name, page in pages.items():
        for link in page.links:
            if is_outside(link):
                continue
            path, _, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(name), path))
            if not path:
                target = name
            if target in pages:
                if anchor and anchor not in pages[target].anchors:
                    yield f"{name}: {link}: there is no such heading"
            elif not os.path.exists(target) or target.startswith(".."):
                yield f"{name}: {link}: there is no such file"
            elif os.path.isfile(target):
                copy = os.path.join(folder, target)
                os.makedirs(os.path.dirname(copy), exist_ok=True)
                shutil.copy(target, copy)
            else:
                os.makedirs(os.path.join(folder, target), exist_ok=True)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = os.path.abspath(sys.argv[1])
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    sources = subprocess.run(["git", "ls-files", "*.md"], check=True,
                             capture_output=True, text=True).stdout.split()
    pages = {}
    for source in sources:
        text, name = render(source), page_name(source)
        pages[name] = Page(text)
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    lost = sorted(set(lost_links(folder, pages)))
    for line in lost:
        print(line)
    print(f"{len(pages)} pages, {len(lost)} links that lead nowhere")
    sys.exit(1 if lost else 0)


main()
