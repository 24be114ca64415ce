"""Who may sign in, how they prove it, and what they may do. Knows the engine, and no wire."""
