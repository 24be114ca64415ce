"""What the engine decided, on its way out, once it is durable: lamps and drop slots."""
