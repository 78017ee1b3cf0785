"""Programs beside the site: what backs its promises (`tools.bench`)."""
