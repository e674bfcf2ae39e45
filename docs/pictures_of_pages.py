"""The directive `pages-pictures`: the first picture of each page that its pattern matches, linked to the page.

The pictures are those that the cells of the pages made in this build.
"""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.parsers.rst import Directive

if TYPE_CHECKING:
    from sphinx.application import Sphinx


class Pictures(nodes.General, nodes.Element):
    """Stands for the pictures until all pages are read."""


class PicturesOf(Directive):
    """`{pages-pictures} how_to/*`."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The node that is replaced later."""
        return [Pictures(pattern=self.arguments[0])]


def resolved(app: Sphinx, doctree: nodes.document, name: str) -> None:
    """Put figures in place of the directive's nodes."""
    for place in list(doctree.findall(Pictures)):
        figures = []
        for page in sorted(fnmatch.filter(app.env.found_docs, place["pattern"])):
            image = next(app.env.get_doctree(page).findall(nodes.image), None)
            if page == name or image is None:
                continue
            title = app.env.titles[page].astext()
            link = nodes.reference("", "", internal=True, refuri=app.builder.get_relative_uri(name, page))
            picture = image.deepcopy()
            picture["alt"] = title
            link += [picture, nodes.inline("", title)]
            figures.append(nodes.container("", nodes.paragraph("", "", link), classes=["picture"]))
        place.replace_self(nodes.container("", *figures, classes=["pictures"]))


def setup(app: Sphinx) -> dict[str, Any]:
    """What Sphinx asks of each extension."""
    app.add_node(Pictures)
    app.add_directive("pages-pictures", PicturesOf)
    app.connect("doctree-resolved", resolved)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
