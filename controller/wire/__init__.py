"""What is said over MQTT: topics, and the types of their messages. Whoever subscribes needs nothing else of us."""
