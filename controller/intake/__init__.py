"""What happens at the table, on its way in: events of devices become inputs of the engine."""
