"""One site on several hosts: namespaces of this machine whose power, links and clocks tests take away."""
