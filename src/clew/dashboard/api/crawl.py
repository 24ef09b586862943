"""The crawl: how far it is, and what it does."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(tags=["crawl"])
