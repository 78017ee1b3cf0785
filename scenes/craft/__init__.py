"""CRAFT's two-dimensional scenes, rebuilt: staging -> physics -> events -> questions -> the files of a release."""
