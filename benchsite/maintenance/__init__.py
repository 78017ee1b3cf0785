"""Maintenance: readers see when the site is back, browsers of participants keep their answers until then."""
