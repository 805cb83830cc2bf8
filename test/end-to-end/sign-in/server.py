"""An MCP server that people sign in to, made of what others built: `server.py KIND PORT [REALM]`.

`fastmcp` and `sdk` are authorization servers themselves; `keycloak` takes the tokens of a realm, whose issuer is REALM. What a
test sees of the server and changes in it is under /test.
"""

import hashlib
import json
import secrets
import sys
import time
from urllib.parse import parse_qs, urlsplit

import uvicorn
from fastmcp import FastMCP
from fastmcp.server.auth import RemoteAuthProvider
from fastmcp.server.auth.providers import in_memory
from fastmcp.server.auth.providers.jwt import JWTVerifier
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions, RevocationOptions
from mcp.server.mcpserver import MCPServer
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse
from starlette.routing import Mount, Route

READ, WRITE = "notes.read", "notes.write"
PAGE = '<form method="post" action="/person?asked={}"><input name="username" value=""></form>'

kind, port = sys.argv[1], int(sys.argv[2])
origin = f"http://127.0.0.1:{port}"
# Short, so that a test sees tokens refreshed.
in_memory.DEFAULT_ACCESS_TOKEN_EXPIRY_SECONDS = 20
registration = ClientRegistrationOptions(enabled=True, valid_scopes=[READ, WRITE], default_scopes=[READ, WRITE])
revocation = RevocationOptions(enabled=True)


class People(in_memory.InMemoryOAuthProvider):
    """Asks on a page who signs in, and gives tokens that say so."""

    def __init__(self):
        super().__init__(
            base_url=origin,
            client_registration_options=registration,
            revocation_options=revocation,
            required_scopes=[READ],
        )
        self.asked = {}
        self.person_of = {}

    async def authorize(self, client, params):
        asked = secrets.token_hex(16)
        self.asked[asked] = await super().authorize(client, params)
        return f"{origin}/person?asked={asked}"

    def allow(self, asked, person):
        target = self.asked.pop(asked)
        (code,) = parse_qs(urlsplit(target).query)["code"]
        self.person_of[code] = person
        return target

    async def load_access_token(self, token):
        """Where one has ended, its refresh token stays, as at servers that are not kept in memory."""
        known = self.access_tokens.get(token)
        return None if known is None or known.expires_at < time.time() else known

    async def exchange_authorization_code(self, client, authorization_code):
        answer = await super().exchange_authorization_code(client, authorization_code)
        return self.given(answer, self.person_of[authorization_code.code])

    async def exchange_refresh_token(self, client, refresh_token, scopes):
        answer = await super().exchange_refresh_token(client, refresh_token, scopes)
        return self.given(answer, self.person_of[refresh_token.token])

    def given(self, answer, person):
        self.person_of[answer.access_token] = self.person_of[answer.refresh_token] = person
        return answer


verifier = people = People()
if kind == "keycloak":
    realm = sys.argv[3]
    keys = f"{realm}/protocol/openid-connect/certs"
    verifier = JWTVerifier(jwks_uri=keys, issuer=realm, audience=f"{origin}/mcp", required_scopes=[READ])
    server = FastMCP("notes", auth=RemoteAuthProvider(verifier, authorization_servers=[realm], base_url=origin))
elif kind == "fastmcp":
    server = FastMCP("notes", auth=people)
else:
    settings = AuthSettings(
        issuer_url=origin,
        resource_server_url=f"{origin}/mcp",
        client_registration_options=registration,
        revocation_options=revocation,
        required_scopes=[READ],
        # The tokens of FastMCP's provider name no resource.
        validate_token_resource=False,
    )
    server = MCPServer("notes", auth_server_provider=people, auth=settings)

server.tool(name="read")(lambda: "read")
server.tool(name="write")(lambda: "written")
calls = []


class Calls:
    """Keeps who called what, and asks for more before `write` (MCP, "Scope Challenge Handling"), which neither does by itself."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http" or scope["path"] != "/mcp" or scope["method"] != "POST":
            return await self.app(scope, receive, send)
        body = await Request(scope, receive).body()
        told = False

        async def again():
            nonlocal told
            if told:
                return await receive()
            told = True
            return {"type": "http.request", "body": body, "more_body": False}

        message = json.loads(body)
        header = dict(scope["headers"]).get(b"authorization", b"").decode()
        token = await verifier.verify_token(header.removeprefix("Bearer "))
        if token is not None and message.get("method") == "tools/call":
            tool = message["params"]["name"]
            if tool == "write" and WRITE not in token.scopes:
                challenge = f'Bearer error="insufficient_scope", scope="{WRITE}"'
                return await JSONResponse({}, 403, {"www-authenticate": challenge})(scope, receive, send)
            calls.append(
                {
                    "tool": tool,
                    "person": people.person_of.get(token.token) or token.claims["preferred_username"],
                    "token": hashlib.sha256(token.token.encode()).hexdigest()[:12],
                    "client": token.client_id,
                    "ends": token.expires_at,
                }
            )
        await self.app(scope, again, send)


def state(_request):
    return JSONResponse(
        {
            "calls": [{**call, "has_ended": call["ends"] < time.time()} for call in calls],
            "clients": list(people.clients),
            "signed_in": [people.person_of[token] for token in people.refresh_tokens],
        }
    )


def forget_clients(_request):
    for known in (people.clients, people.access_tokens, people.refresh_tokens):
        known.clear()
    return JSONResponse({})


async def choose_person(request):
    asked = request.query_params["asked"]
    if request.method == "GET":
        return HTMLResponse(PAGE.format(asked))
    form = await request.form()
    return RedirectResponse(people.allow(asked, form["username"]), 302)


application = server.http_app() if isinstance(server, FastMCP) else server.streamable_http_app()
routes = [
    Route("/test/state", state),
    Route("/test/clients", forget_clients, methods=["DELETE"]),
    Route("/person", choose_person, methods=["GET", "POST"]),
    Mount("/", application),
]
uvicorn.run(
    Calls(Starlette(routes=routes, lifespan=lambda _: application.router.lifespan_context(application))),
    host="127.0.0.1",
    port=port,
    log_level="warning",
)
