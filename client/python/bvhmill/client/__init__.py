"""The calls of this package, made by a server of bvhmill.

Needs grpcio and protobuf, which `import bvhmill` does not.
"""

import os

# Without it, a child of a fork hangs in gRPC if its parent has an open channel.
# It is read when grpc is imported for the first time.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "1")

from bvhmill.client._async import AsyncClient
from bvhmill.client._calls import ServerError
from bvhmill.client._sync import Client

__all__ = ["AsyncClient", "Client", "ServerError"]

for _kind in (AsyncClient, Client, ServerError):
    _kind.__module__ = "bvhmill.client"
del _kind
