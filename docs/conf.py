"""The site: Sphinx over the pages of docs/, notebooks executed, references generated."""

import os
import shutil
import subprocess
import tomllib
from pathlib import Path

import latentropy

HERE = Path(__file__).parent

project = "latentropy"
author = "the authors of latentropy"
copyright = author
version = release = latentropy.__version__

extensions = ["myst_nb", "sphinx_design", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
exclude_patterns = ["_build", "sentences.md", "**/.ipynb_checkpoints"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "cache"
nb_execution_timeout = 240
nb_execution_raise_on_error = True
nb_merge_streams = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_inherit_docstrings = False
autosummary_generate = False

html_theme = "pydata_sphinx_theme"
html_title = "latentropy"
html_theme_options = {"show_prev_next": False, "navigation_with_keys": False, "secondary_sidebar_items": ["page-toc"]}
# Pages have no pages below them, so a column for these would be empty; code of the guides wants its room.
html_sidebars = {"**": []}
html_static_path = ["static"]
html_css_files = ["wide.css"]
html_show_sourcelink = False

# The link check looks at pages of this site alone where there is no network.
linkcheck_anchors = False

COMMANDS = ["fit", "infer", "score", "posterior", "impute", "sample", "convert", "report", "reproduce", "study", "merge"]


def command_line_reference() -> str:
    """The help of every command, asked of the program itself."""
    named = os.environ.get("LATENTROPY_PROGRAM") or shutil.which("latentropy")
    lines = ["# The command line", "", "What `latentropy COMMAND --help` prints.", ""]
    if named is None:
        lines.append("(The program was not there when these pages were made.)")
    for command in COMMANDS if named else []:
        environment = os.environ | {"COLUMNS": "100", "NO_COLOR": "1"}
        told = subprocess.run([named, command, "--help"], capture_output=True, text=True, check=True, env=environment)
        lines += [f"## latentropy {command}", "", "```text", told.stdout.rstrip(), "```", ""]
    return "\n".join(lines) + "\n"


def setup(app):
    """Writes the generated page before the others are read."""
    assert tomllib.loads((HERE.parent / "Cargo.toml").read_text())["workspace"]["package"]["version"] == release
    page = HERE / "reference" / "command-line.md"
    text = command_line_reference()
    if not page.exists() or page.read_text() != text:
        page.write_text(text)
