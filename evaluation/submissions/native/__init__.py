"""Result files of the benchmarks' own tools, read as uploads, one module each; `evaluation.official` writes them."""
