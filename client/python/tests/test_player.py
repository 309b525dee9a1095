"""Take.player: the page of the viewer with a take in it."""

import base64
import gzip
import html
import json
import re

import pytest

import bvhmill

PAGE = "<!doctype html><body><p>viewer</p></body></html>"


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "viewer.html"
    path.write_text(PAGE)
    return path


def takes_of(text):
    (data,) = re.findall(r'id="bvhmill-takes">\n(.*?)\n</script>', text, re.S)
    return json.loads(data)


def test_the_page_contains_the_file_of_the_take(page):
    take = bvhmill.read(bvhmill.example())
    text = take.player(page=page).html
    (entry,) = takes_of(text)
    assert gzip.decompress(base64.b64decode(entry["gzip"])) == take.to_bvh()
    assert text.endswith("</script>\n</body></html>")
    assert text.startswith("<!doctype html><body><p>viewer</p><script ")


def test_a_notebook_shows_it_in_a_frame_of_its_own(page):
    player = bvhmill.read(bvhmill.example()).player(height=300, page=page)
    shown = player._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts" width="100%" '
                            'height="300"')
    (source,) = re.findall(r'srcdoc="([^"]*)"', shown)
    assert html.unescape(source) == player.html


def test_names_do_not_end_the_script(page):
    take = bvhmill.read(bvhmill.example())
    take.source_name = "</script><script>alert(1)</script>"
    text = take.player(page=page).html
    assert text.count("</script>") == 1
    (entry,) = takes_of(text)
    assert entry["name"] == "</script><script>alert(1)</script>.bvh"


def test_it_is_saved_as_a_file(page, tmp_path):
    player = bvhmill.read(bvhmill.example()).player(page=page)
    player.save(tmp_path / "take.html")
    assert (tmp_path / "take.html").read_text() == player.html
    with pytest.raises(FileExistsError):
        player.save(tmp_path / "take.html")


def test_another_page_is_refused(page, tmp_path):
    take = bvhmill.read(bvhmill.example())
    page.write_text("<p>no viewer</p>")
    with pytest.raises(ValueError, match="is not the viewer"):
        take.player(page=page)
    with pytest.raises(FileNotFoundError):
        take.player(page=tmp_path / "missing.html")
