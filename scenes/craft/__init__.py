"""CRAFT's two-dimensional scenes, made anew: staging -> physics -> events -> questions -> the files of a release."""
