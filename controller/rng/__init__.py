"""The statistics of the draw: whether mystery values are as random as they must be. Pure but for the draw itself."""
