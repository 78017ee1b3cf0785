"""Result files as each benchmark's own tools read them: one module a benchmark, `write(run, folder)`.

`evaluation.submissions.native` reads the same files back as uploads.
"""
