"""Checks of pages: Lighthouse, a crawl, screenshots, and the first request of a process."""
