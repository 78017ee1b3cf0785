"""Where rows come from that are no run's: papers, referees, hidden figures."""
