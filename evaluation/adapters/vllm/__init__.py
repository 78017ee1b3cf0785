"""Models that a vLLM of their own serves: a process that the worker starts, asked as any server is."""
