"""The pages you watch and steer a crawl on (filled by a later issue)."""
