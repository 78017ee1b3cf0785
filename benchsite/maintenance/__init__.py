"""Maintenance: readers see when the site will be back, and participants' browsers keep their answers until then."""
