"""Middleware, error pages and websocket addresses."""
