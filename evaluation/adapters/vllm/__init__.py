"""Models served by their own vLLM: a process that the worker starts and queries like any server."""
