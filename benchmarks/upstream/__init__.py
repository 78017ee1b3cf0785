"""Items of Giraffe-Bench from the public data sets' own annotation files, a module a data set."""
