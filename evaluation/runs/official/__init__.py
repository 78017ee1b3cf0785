"""Result files in the format of each benchmark's own tools: one module per benchmark, `write(run, folder)`.

`evaluation.submissions.files.native` reads the same files back as uploads.
"""
