"""`photocol report`: one HTML file for a finished run or campaign, read from disk without a network.

`run_page` and `campaign_page` say what is on a page, as plain data; `columns` packs tables of numbers; `places` lays
out networks; `page/` is the page itself: HTML, a style, and JavaScript modules that are put into it.
"""

from photocol.report.build import write

__all__ = ["write"]
