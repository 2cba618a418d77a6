"""RE-Bench as Inspect AI tasks, with a measurement that submissions cannot fool."""
