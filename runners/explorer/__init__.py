"""The explorer: template, style sheet and script of the page, inlined into one file."""
