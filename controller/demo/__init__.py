"""The whole system on embedded defaults, playing by itself: broker, device twins and people around a real controller.

Everything here is a demonstration. It knows the controller as a process of its own, over MQTT and over serial lines; of
the controller's parts it uses those that begin a journal and those that prove one.
"""
