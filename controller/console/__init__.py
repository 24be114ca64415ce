"""The web console and the signs: a process of its own that knows a table only by what it says over MQTT.

Nothing here may import what decides or keeps money. People who sign in do so at the controller, which alone says
what they may do; the console passes their commands on and holds nothing that could make one up.
"""
