"""The calls of this package, made by a server of bvhmill.

Needs grpcio and protobuf, which `import bvhmill` does not.
"""

from bvhmill.client._async import AsyncClient
from bvhmill.client._connection import ServerError
from bvhmill.client._sync import Client

__all__ = ["AsyncClient", "Client", "ServerError"]

for _kind in (AsyncClient, Client, ServerError):
    _kind.__module__ = "bvhmill.client"
del _kind
