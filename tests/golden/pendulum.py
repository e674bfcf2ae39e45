"""A checkpointed loop: snapshots of what it carries, at the steps that the best schedule chooses."""

import math

import backsweep as bs

ARGS = (0.4, 0.0, 0.1, 50)
WRT = ("angle", "h")


def pendulum(angle, speed, h, n):
    for _ in bs.checkpointed(range(n), slots=4):
        speed = speed - h * math.sin(angle)
        angle = angle + h * speed
    return angle
