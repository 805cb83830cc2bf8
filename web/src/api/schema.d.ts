/** Generated from docs/openapi.json; `npm run docs` updates it. */
export interface paths {
    "/api/agents/{agent_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One agent */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    agent_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            agent: components["schemas"]["Agent"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        /** Delete an agent with its attachments, grants, requests and ended sessions; its schedules pause. Archiving keeps them */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    agent_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            ok: true;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        options?: never;
        head?: never;
        /** Change an agent; holds from the next session on */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    agent_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        name?: string;
                        /** @enum {string} */
                        kind?: "worker" | "orchestrator";
                        run?: {
                            /** @constant */
                            type: "builtin";
                            /** @enum {string} */
                            name: "scripted" | "claude";
                        } | {
                            /** @constant */
                            type: "command";
                            command: string;
                            /** @default [] */
                            args?: string[];
                        } | {
                            /** @constant */
                            type: "image";
                            image: string;
                        };
                        instructions?: string;
                        model?: string | null;
                        env?: {
                            [key: string]: string;
                        };
                        siblings?: {
                            name: string;
                            run: {
                                /** @constant */
                                type: "builtin";
                                /** @enum {string} */
                                name: "scripted" | "claude";
                            } | {
                                /** @constant */
                                type: "command";
                                command: string;
                                /** @default [] */
                                args?: string[];
                            } | {
                                /** @constant */
                                type: "image";
                                image: string;
                            };
                            /** @default {} */
                            env?: {
                                [key: string]: string;
                            };
                            /** @default null */
                            port?: number | null;
                            /** @default null */
                            ready?: ({
                                /** @constant */
                                type: "port";
                                /** @default 60 */
                                timeout_seconds?: number;
                            } | {
                                /** @constant */
                                type: "command";
                                command: string;
                                /** @default [] */
                                args?: string[];
                                /** @default 60 */
                                timeout_seconds?: number;
                            }) | null;
                        }[];
                        services?: {
                            name: string;
                            run: {
                                /** @constant */
                                type: "builtin";
                                /** @enum {string} */
                                name: "scripted" | "claude";
                            } | {
                                /** @constant */
                                type: "command";
                                command: string;
                                /** @default [] */
                                args?: string[];
                            } | {
                                /** @constant */
                                type: "image";
                                image: string;
                            };
                            /** @default {} */
                            env?: {
                                [key: string]: string;
                            };
                        }[];
                        /** @enum {string} */
                        network?: "none" | "internet";
                        egress_allow?: string[];
                        limits?: {
                            /** @default null */
                            total_seconds?: number | null;
                            /** @default null */
                            idle_seconds?: number | null;
                        };
                        model_access?: {
                            api_key: string;
                            /** @default [] */
                            models?: string[];
                            /** @default 1000 */
                            requests_per_session?: number;
                            /** @default 5000000 */
                            tokens_per_session?: number;
                        } | null;
                    };
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            agent: components["schemas"]["Agent"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        trace?: never;
    };
    "/api/agents/{agent_id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Archive an agent: nothing starts it, its grants are revoked, its open requests closed, its schedules pause, and no channel lists it; while sessions of it run, `running_sessions` says what happens to them */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    agent_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @enum {string} */
                        running_sessions?: "end" | "let_finish";
                    };
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            agent: components["schemas"]["Agent"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{agent_id}/authority": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the agent can do by itself, whoever starts it: its servers, its grants, and the names of its secrets */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    agent_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            authority: components["schemas"]["AgentAuthority"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{agent_id}/mcp-attachments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The MCP servers that are attached to an agent */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    agent_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            attachments: components["schemas"]["Attachment"][];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        /** Attach a catalog entry, or change the env of an attachment; holds from the next session on */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    agent_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        name: string;
                        env: {
                            [key: string]: string;
                        };
                    };
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            attachment: components["schemas"]["Attachment"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{agent_id}/mcp-attachments/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Detach an MCP server; holds from the next session on */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    agent_id: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            ok: true;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{agent_id}/reach": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Which grants a session of the agent could use, the caller’s own and the agent’s, if the caller started it */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    agent_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            reach: {
                                owner: {
                                    /** Format: uuid */
                                    id: string;
                                    name: string;
                                } | null;
                                own: boolean;
                                grants: {
                                    grant: {
                                        /** Format: uuid */
                                        id: string;
                                        /** Format: uuid */
                                        workspace_id: string;
                                        user_subject_id: string | null;
                                        agent_subject_id: string | null;
                                        /** @enum {string} */
                                        grant_type: "spawn" | "tool_scope" | "agent_env" | "model_key";
                                        details: {
                                            [key: string]: unknown;
                                        };
                                        /** @enum {string} */
                                        scope: "once" | "session" | "persistent";
                                        session_id: string | null;
                                        reason: string | null;
                                        consumed_at: string | null;
                                        revoked_at: string | null;
                                        /** Format: uuid */
                                        granted_by_user_id: string;
                                        /** @enum {string} */
                                        granted_by_role: "admin" | "member";
                                        /** Format: date-time */
                                        granted_at: string;
                                        expires_at: string | null;
                                        request_id: string | null;
                                        bound_to: {
                                            /** Format: uuid */
                                            session_id: string;
                                            server: string | null;
                                            tool: string | null;
                                            call_digest: string | null;
                                        } | null;
                                    };
                                    tools: {
                                        server: string;
                                        tool: string;
                                    }[];
                                    more_tools: number;
                                }[];
                            };
                            next_cursor: string | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{agent_id}/removal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What would go with the agent if it were deleted */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    agent_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            removal: components["schemas"]["RemovedWithAgent"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{agent_id}/unarchive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take an archived agent back into use; its grants, its places in channels and the runs of its schedules have to be given again */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    agent_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": Record<string, never>;
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            agent: components["schemas"]["Agent"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where the identity provider sends people back to */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Bytes, or a redirect */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/demo-sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in as one of the demo users, without a password */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** Format: email */
                        email: string;
                    };
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Me"];
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Which ways of signing in there are */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AuthOptions"];
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Begin signing in at the identity provider */
        get: {
            parameters: {
                query?: {
                    return_to?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Bytes, or a redirect */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End this sign-in; its cookie is refused from now on */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            ok: true;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/authorizations/{authorization_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A sign-in at a remote server that you have to make; nobody else can read it */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    authorization_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            authorization: {
                                /** Format: uuid */
                                id: string;
                                /** @enum {string} */
                                status: "pending" | "connected" | "expired" | "cancelled";
                                workspace: {
                                    /** Format: uuid */
                                    id: string;
                                    name: string;
                                    slug: string;
                                };
                                mcp_server: string;
                                session: {
                                    /** Format: uuid */
                                    id: string;
                                    agent: {
                                        /** Format: uuid */
                                        id: string;
                                        name: string;
                                    };
                                } | null;
                                parties: {
                                    issuer: string;
                                    resource: string;
                                    authorization_host: string;
                                } | null;
                                scopes: string[];
                                missing_scopes: string[] | null;
                                problem: string | null;
                                /** Format: uri */
                                origin: string;
                                /** Format: date-time */
                                expires_at: string;
                            };
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/authorizations/{authorization_id}/begin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begin it in this browser: the address at the authorization server to go to, for 10 minutes */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    authorization_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** Format: uri */
                            url: string;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the API can serve: it answers and reaches its database */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            status: "ok";
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who is signed in, and which workspaces they are a member of */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Me"];
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your own sign-ins at remote servers, in all of your workspaces */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            connections: {
                                /** Format: uuid */
                                id: string;
                                workspace: {
                                    /** Format: uuid */
                                    id: string;
                                    name: string;
                                    slug: string;
                                };
                                mcp_server: string;
                                issuer: string;
                                resource: string;
                                scopes: string[];
                                /** Format: date-time */
                                created_at: string;
                                used_at: string | null;
                            }[];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/connections/{connection_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Sign out of a remote server: its tokens are of no use at once, and revoked there where it can be */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    connection_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            ok: true;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Everything that a browser shows live, for all of its tabs, as text/event-stream (contract/browser-stream.ts); `sessions` is a list of `<session id>:<seq of the last known event>` with commas */
        get: {
            parameters: {
                query?: {
                    sessions?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Bytes, or a redirect */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oauth/callback/{registration_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where authorization servers send people back to; only the browser that began is signed in */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    registration_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Bytes, or a redirect */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oauth/clients/{registration_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The Client ID Metadata Document of one remote server: public, and without any secret */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    registration_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** Format: uri */
                            client_id: string;
                            client_name: string;
                            readonly redirect_uris: string[];
                            readonly grant_types: string[];
                            readonly response_types: string[];
                            /** @constant */
                            token_endpoint_auth_method: "none";
                            /** @enum {string} */
                            application_type: "web" | "native";
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One session */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            session: components["schemas"]["SessionWithAncestors"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Mute or unmute the permission requests of a session: while muted, they are refused without asking a person */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        permission_requests_muted: boolean;
                    };
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            session: components["schemas"]["SessionWithAncestors"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        trace?: never;
    };
    "/api/sessions/{session_id}/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the agent handed out, newest first */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            artifacts: components["schemas"]["Artifact"][];
                            next_cursor: string | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/artifacts/{artifact_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The bytes of one artifact, always as a download */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    session_id: string;
                    artifact_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Bytes, or a redirect */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/authorizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sign-ins that the session waits for now; only its operator can make them */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            authorizations: {
                                /** Format: uuid */
                                id: string;
                                mcp_server: string;
                                missing_scopes: string[] | null;
                                /** Format: date-time */
                                expires_at: string;
                            }[];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/children": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The sessions below a session that one may read, as a list whose rows name their parents, newest first */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            sessions: components["schemas"]["Session"][];
                            next_cursor: string | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the session runs with, frozen at its start; references are shown, values are left out */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            configuration: components["schemas"]["Configuration"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The session's events in order; as text/event-stream when asked for, resuming by Last-Event-ID */
        get: {
            parameters: {
                query?: {
                    after?: number;
                    limit?: number;
                };
                header?: never;
                path: {
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            events: components["schemas"]["SessionEvent"][];
                            next_after: number;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send the agent a message; it answers the oldest question that the agent has open */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        text: string;
                    };
                };
            };
            responses: {
                /** @description Done */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            message: components["schemas"]["InputMessage"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/model-usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a session has used of its access to a language model, and its limits; null without access, and before the freeze */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            model_usage: components["schemas"]["ModelUsage"] | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/processes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** MCP servers, siblings and agent of a session: state, starts, how they ended; empty before the freeze */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            processes: components["schemas"]["SessionProcess"][];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/processes/{kind}/{name}/output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The end of what a process wrote to stderr, its own claim; for admins, and each reading is audited */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    session_id: string;
                    kind: "agent" | "server" | "sibling";
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            output: {
                                text: string;
                                size_bytes: number;
                                written_bytes: number;
                                /** Format: date-time */
                                updated_at: string;
                            };
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/terminate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End a session; one that has ended stays as it is */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason?: string;
                    };
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            session: components["schemas"]["SessionWithAncestors"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/tool-calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The tool calls of a session with outcome and grant, last recorded first; no arguments or results */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            tool_calls: components["schemas"]["ToolCall"][];
                            next_cursor: string | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/tool-calls/open": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Calls of a session that have waited for their server for some seconds, oldest first; no arguments */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["OpenCallList"];
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/tool-calls/refused": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Calls of a session that were refused beyond a limit and kept as counts, by server, tool and outcome; last refused first */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    session_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            refused_calls: components["schemas"]["RefusedCalls"][];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/shares/{share_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One text or artifact that an agent shared with the workspace */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    share_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            share: components["schemas"]["Share"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/shares/{share_id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The bytes of a shared artifact, always as a download */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    share_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Bytes, or a redirect */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a workspace, with the caller as its first admin */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        slug: string;
                        name: string;
                    };
                };
            };
            responses: {
                /** @description Done */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            workspace: components["schemas"]["Workspace"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A workspace with its settings */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            workspace: components["schemas"]["Workspace"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change name and settings */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        name?: string;
                        settings?: {
                            log_tool_payloads?: boolean;
                            allow_runtime_permission_requests?: boolean;
                            keep_refused_calls?: boolean;
                            members_grant_persistent?: boolean;
                            tool_call_retention_days?: number | null;
                        };
                    };
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            workspace: components["schemas"]["Workspace"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        trace?: never;
    };
    "/api/workspaces/{slug}/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The agents of a workspace */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                    archived?: "true" | "false";
                };
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            agents: components["schemas"]["Agent"][];
                            next_cursor: string | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        /** Create an agent, owned by the caller */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        name: string;
                        /**
                         * @default worker
                         * @enum {string}
                         */
                        kind?: "worker" | "orchestrator";
                        run: {
                            /** @constant */
                            type: "builtin";
                            /** @enum {string} */
                            name: "scripted" | "claude";
                        } | {
                            /** @constant */
                            type: "command";
                            command: string;
                            /** @default [] */
                            args?: string[];
                        } | {
                            /** @constant */
                            type: "image";
                            image: string;
                        };
                        /** @default  */
                        instructions?: string;
                        /** @default null */
                        model?: string | null;
                        /** @default {} */
                        env?: {
                            [key: string]: string;
                        };
                        /** @default [] */
                        siblings?: {
                            name: string;
                            run: {
                                /** @constant */
                                type: "builtin";
                                /** @enum {string} */
                                name: "scripted" | "claude";
                            } | {
                                /** @constant */
                                type: "command";
                                command: string;
                                /** @default [] */
                                args?: string[];
                            } | {
                                /** @constant */
                                type: "image";
                                image: string;
                            };
                            /** @default {} */
                            env?: {
                                [key: string]: string;
                            };
                            /** @default null */
                            port?: number | null;
                            /** @default null */
                            ready?: ({
                                /** @constant */
                                type: "port";
                                /** @default 60 */
                                timeout_seconds?: number;
                            } | {
                                /** @constant */
                                type: "command";
                                command: string;
                                /** @default [] */
                                args?: string[];
                                /** @default 60 */
                                timeout_seconds?: number;
                            }) | null;
                        }[];
                        /** @default [] */
                        services?: {
                            name: string;
                            run: {
                                /** @constant */
                                type: "builtin";
                                /** @enum {string} */
                                name: "scripted" | "claude";
                            } | {
                                /** @constant */
                                type: "command";
                                command: string;
                                /** @default [] */
                                args?: string[];
                            } | {
                                /** @constant */
                                type: "image";
                                image: string;
                            };
                            /** @default {} */
                            env?: {
                                [key: string]: string;
                            };
                        }[];
                        /**
                         * @default none
                         * @enum {string}
                         */
                        network?: "none" | "internet";
                        /** @default [] */
                        egress_allow?: string[];
                        /**
                         * @default {
                         *       "total_seconds": null,
                         *       "idle_seconds": null
                         *     }
                         */
                        limits?: {
                            /** @default null */
                            total_seconds?: number | null;
                            /** @default null */
                            idle_seconds?: number | null;
                        };
                        /** @default null */
                        model_access?: {
                            api_key: string;
                            /** @default [] */
                            models?: string[];
                            /** @default 1000 */
                            requests_per_session?: number;
                            /** @default 5000000 */
                            tokens_per_session?: number;
                        } | null;
                    };
                };
            };
            responses: {
                /** @description Done */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            agent: components["schemas"]["Agent"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/audit-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Audit events, newest first; all that pass the filter as application/x-ndjson when asked for */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                    event?: "workspace.created" | "workspace.settings_updated" | "workspace.closed" | "workspace.reopened" | "workspace.embedding_provider.set" | "workspace.embedding_provider.removed" | "workspace.member.added" | "workspace.member.role_changed" | "workspace.member.removed" | "workspace.member.moved" | "workspace.secret.set" | "workspace.secret.replaced" | "workspace.secret.cleared" | "workspace.secret.restricted" | "workspace.mcp.registered" | "workspace.mcp.updated" | "workspace.mcp.removed" | "workspace.mcp.checked" | "workspace.mcp.check_output_read" | "workspace.mcp.tools_pinned" | "workspace.mcp.tools_changed" | "workspace.mcp.tools_accepted" | "workspace.mcp.registration_completed" | "workspace.mcp.registration_failed" | "workspace.mcp.registration_retried" | "workspace.mcp.issuer_accepted" | "workspace.mcp.client_deleted" | "workspace.channel.created" | "workspace.channel.updated" | "workspace.channel.removed" | "connection.created" | "connection.ended" | "connection.refused" | "connection.revoked" | "connection.tokens_refused" | "agent.created" | "agent.updated" | "agent.archived" | "agent.unarchived" | "agent.removed" | "agent.env_updated" | "agent.mcp.attached" | "agent.mcp.detached" | "agent.mcp.env_updated" | "grant.created" | "grant.consumed" | "grant.revoked" | "decision.withdrawn" | "permission_request.created" | "permission_request.approved" | "permission_request.denied" | "permission_request.expired" | "permission_request.cancelled" | "schedule.created" | "schedule.updated" | "schedule.paused" | "schedule.resumed" | "schedule.run_requested" | "schedule.removed" | "session.created" | "session.ended" | "session.muted" | "session.unmuted" | "session.output_read" | "session.message.posted" | "session.preview.deployed" | "session.preview.ended" | "model.budget_reached" | "session.mcp.tool_called" | "session.mcp.calls_refused";
                    actor?: string;
                    resource?: string;
                    tree?: string;
                    from?: string;
                    to?: string;
                };
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            audit_events: components["schemas"]["AuditEvent"][];
                            next_cursor: string | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/availability": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What agents and MCP servers can be here, and why not the rest */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            availability: components["schemas"]["Availability"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/changed-mcp-servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Entries with tools that are new or changed, and wait for an admin */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            changed_mcp_servers: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                                version: number;
                                waiting: number;
                                /** Format: date-time */
                                first_seen_at: string;
                            }[];
                            next_cursor: string | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/channel-messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Messages to channels and their delivery, newest first, without their texts */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                    channel?: string;
                };
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            messages: components["schemas"]["ChannelMessage"][];
                            next_cursor: string | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The channels of the workspace: their names, and for admins their settings */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            channels: components["schemas"]["ListedChannel"][];
                            next_cursor: string | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        /** Create a channel */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        name: string;
                        /**
                         * @default slack
                         * @enum {string}
                         */
                        kind?: "slack";
                        address: string;
                        /** @default false */
                        announce_permission_requests?: boolean;
                        /** @default [] */
                        agents?: string[];
                    };
                };
            };
            responses: {
                /** @description Done */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            channel: components["schemas"]["Channel"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/channels/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One channel */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            channel: components["schemas"]["Channel"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        /** Replace the settings of a channel; messages that wait are judged by them */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @default slack
                         * @enum {string}
                         */
                        kind?: "slack";
                        address: string;
                        /** @default false */
                        announce_permission_requests?: boolean;
                        /** @default [] */
                        agents?: string[];
                    };
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            channel: components["schemas"]["Channel"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        post?: never;
        /** Remove a channel; messages that wait for it are not delivered */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            ok: true;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/channels/{name}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a message that says that it is a test; its outcome is among the messages */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            message: components["schemas"]["ChannelMessage"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Close a workspace: nothing begins there any more, its sessions end, its grants, sign-ins and registrations are revoked, and its schedules pause; `name` is its name, as a confirmation */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        name: string;
                    };
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            workspace: components["schemas"]["Workspace"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/collections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The collections of vectors that the agents of the workspace share, by name */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            collections: components["schemas"]["Collection"][];
                            truncated: boolean;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/embedding-provider": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What embeds the texts of the workspace’s collections; null: the platform itself */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            embedding_provider: components["schemas"]["EmbeddingProvider"] | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        /** Set the provider that texts of new collections are sent to */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        base_url: string;
                        model: string;
                        dimensions: number | null;
                        api_key: string | null;
                    };
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            embedding_provider: components["schemas"]["EmbeddingProvider"] | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        post?: never;
        /** Remove the provider: its collections stay, and take no texts without it */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            embedding_provider: components["schemas"]["EmbeddingProvider"] | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/embedding-provider/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ask the saved provider for the vector of one word, as an agent’s call would */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            check: components["schemas"]["EmbeddingProviderCheck"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Grants, newest first; revoked ones only with include_revoked */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                    user_subject_id?: string;
                    agent_subject_id?: string;
                    grant_type?: "spawn" | "tool_scope" | "agent_env" | "model_key";
                    session_id?: string;
                    granted_by_role?: "admin" | "member";
                    tool_scope?: string;
                    state?: "active" | "consumed" | "revoked" | "expired";
                    include_revoked?: "true" | "false";
                };
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            grants: components["schemas"]["Grant"][];
                            next_cursor: string | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        /** Create a grant; with request_id, or when everything is equal, it answers a permission request */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The same request sent again with the same key has one effect and the same answer */
                    "Idempotency-Key"?: string;
                };
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        user_subject_id?: string | null;
                        agent_subject_id?: string | null;
                        /** @enum {string} */
                        grant_type: "spawn" | "tool_scope" | "agent_env" | "model_key";
                        details: {
                            [key: string]: unknown;
                        };
                        /** @enum {string} */
                        scope: "once" | "session" | "persistent";
                        session_id?: string | null;
                        reason?: string | null;
                        expires_at?: string | null;
                        /** Format: uuid */
                        request_id?: string;
                        call_digest?: string;
                        /** @constant */
                        exact_call?: true;
                    };
                };
            };
            responses: {
                /** @description Done */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            grant: components["schemas"]["Grant"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/grants/{grant_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One grant: who made it, its state, and who revoked it */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    grant_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            grant: components["schemas"]["Grant"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        /** Revoke a grant; one that is consumed, expired or revoked stays as it is */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    grant_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            ok: true;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/grants/{grant_id}/uses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The calls that passed on a grant, newest first: all for admins, in sessions they may read for members */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    slug: string;
                    grant_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            uses: {
                                /** Format: uuid */
                                call_id: string;
                                /** Format: uuid */
                                session_id: string;
                                server: string | null;
                                tool: string | null;
                                /** Format: date-time */
                                at: string;
                            }[];
                            next_cursor: string | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/graph": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How many nodes of each type and edges of each relation the graph of the workspace has */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            graph: components["schemas"]["GraphCounts"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/mcp-servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The workspace MCP catalog */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            mcp_servers: components["schemas"]["McpServer"][];
                            next_cursor: string | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        /** Register an MCP server */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        name: string;
                        shape: {
                            /** @constant */
                            type: "image";
                            image: string;
                            registry_secret?: string;
                        } | {
                            /** @constant */
                            type: "command";
                            command: string;
                            /** @default [] */
                            args?: string[];
                        } | {
                            /** @constant */
                            type: "remote";
                            /** Format: uri */
                            url: string;
                            headers?: {
                                name: string;
                                /** @default  */
                                prefix?: string;
                                variable: string;
                            }[];
                            client?: {
                                client_id: string;
                                client_secret?: string;
                            };
                        };
                        manifest?: {
                            /** @default {} */
                            env?: {
                                [key: string]: {
                                    /** @enum {string} */
                                    kind: "secret" | "value";
                                    label: string;
                                    description?: string;
                                    required?: boolean;
                                    regex?: string;
                                    enum?: string[];
                                    default?: string;
                                };
                            };
                            /** @default {} */
                            tool_scopes?: {
                                [key: string]: string;
                            };
                        };
                        image_digest?: string;
                        /**
                         * @default internet
                         * @enum {string}
                         */
                        network?: "none" | "internet";
                        /** @default [] */
                        egress_allow?: string[];
                        /**
                         * @default operator
                         * @enum {string}
                         */
                        approvers?: "operator" | "admin";
                        /** @default [] */
                        client_features?: ("elicitation" | "roots" | "sampling")[];
                        /**
                         * @default tell
                         * @enum {string}
                         */
                        changed_tools?: "tell" | "refuse";
                        /**
                         * @default allow
                         * @enum {string}
                         */
                        unlisted_tools?: "allow" | "refuse";
                        /** @default [] */
                        listed_tools?: string[];
                        /** @default null */
                        start_seconds?: number | null;
                    };
                };
            };
            responses: {
                /** @description Done */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            mcp_server: components["schemas"]["McpServer"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/mcp-servers/dry-run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What registering this MCP server would say; nothing is stored, and no registration begins */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        name: string;
                        shape: {
                            /** @constant */
                            type: "image";
                            image: string;
                            registry_secret?: string;
                        } | {
                            /** @constant */
                            type: "command";
                            command: string;
                            /** @default [] */
                            args?: string[];
                        } | {
                            /** @constant */
                            type: "remote";
                            /** Format: uri */
                            url: string;
                            headers?: {
                                name: string;
                                /** @default  */
                                prefix?: string;
                                variable: string;
                            }[];
                            client?: {
                                client_id: string;
                                client_secret?: string;
                            };
                        };
                        manifest?: {
                            /** @default {} */
                            env?: {
                                [key: string]: {
                                    /** @enum {string} */
                                    kind: "secret" | "value";
                                    label: string;
                                    description?: string;
                                    required?: boolean;
                                    regex?: string;
                                    enum?: string[];
                                    default?: string;
                                };
                            };
                            /** @default {} */
                            tool_scopes?: {
                                [key: string]: string;
                            };
                        };
                        image_digest?: string;
                        /**
                         * @default internet
                         * @enum {string}
                         */
                        network?: "none" | "internet";
                        /** @default [] */
                        egress_allow?: string[];
                        /**
                         * @default operator
                         * @enum {string}
                         */
                        approvers?: "operator" | "admin";
                        /** @default [] */
                        client_features?: ("elicitation" | "roots" | "sampling")[];
                        /**
                         * @default tell
                         * @enum {string}
                         */
                        changed_tools?: "tell" | "refuse";
                        /**
                         * @default allow
                         * @enum {string}
                         */
                        unlisted_tools?: "allow" | "refuse";
                        /** @default [] */
                        listed_tools?: string[];
                        /** @default null */
                        start_seconds?: number | null;
                    };
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            ok: true;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/mcp-servers/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One catalog entry */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            mcp_server: components["schemas"]["McpServer"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        /** Replace a catalog entry; its version counts up, running sessions keep the old one */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        name: string;
                        shape: {
                            /** @constant */
                            type: "image";
                            image: string;
                            registry_secret?: string;
                        } | {
                            /** @constant */
                            type: "command";
                            command: string;
                            /** @default [] */
                            args?: string[];
                        } | {
                            /** @constant */
                            type: "remote";
                            /** Format: uri */
                            url: string;
                            headers?: {
                                name: string;
                                /** @default  */
                                prefix?: string;
                                variable: string;
                            }[];
                            client?: {
                                client_id: string;
                                client_secret?: string;
                            };
                        };
                        manifest?: {
                            /** @default {} */
                            env?: {
                                [key: string]: {
                                    /** @enum {string} */
                                    kind: "secret" | "value";
                                    label: string;
                                    description?: string;
                                    required?: boolean;
                                    regex?: string;
                                    enum?: string[];
                                    default?: string;
                                };
                            };
                            /** @default {} */
                            tool_scopes?: {
                                [key: string]: string;
                            };
                        };
                        image_digest?: string;
                        /**
                         * @default internet
                         * @enum {string}
                         */
                        network?: "none" | "internet";
                        /** @default [] */
                        egress_allow?: string[];
                        /**
                         * @default operator
                         * @enum {string}
                         */
                        approvers?: "operator" | "admin";
                        /** @default [] */
                        client_features?: ("elicitation" | "roots" | "sampling")[];
                        /**
                         * @default tell
                         * @enum {string}
                         */
                        changed_tools?: "tell" | "refuse";
                        /**
                         * @default allow
                         * @enum {string}
                         */
                        unlisted_tools?: "allow" | "refuse";
                        /** @default [] */
                        listed_tools?: string[];
                        /** @default null */
                        start_seconds?: number | null;
                    };
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            mcp_server: components["schemas"]["McpServer"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        post?: never;
        /** Remove a catalog entry that no agent attaches */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            ok: true;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/mcp-servers/{name}/checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Check an entry: run it once with the given env, list its tools, and leave nothing behind; for admins */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The same request sent again with the same key has one effect and the same answer */
                    "Idempotency-Key"?: string;
                };
                path: {
                    slug: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        env: {
                            [key: string]: string;
                        };
                    };
                };
            };
            responses: {
                /** @description Done */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            mcp_check: components["schemas"]["McpCheck"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/mcp-servers/{name}/checks/{check_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The state of a check, and the tools that its server lists: the server’s own claim */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    name: string;
                    check_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            mcp_check: components["schemas"]["McpCheck"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/mcp-servers/{name}/checks/{check_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End a check; one that has ended stays as it is */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    name: string;
                    check_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            mcp_check: components["schemas"]["McpCheck"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/mcp-servers/{name}/checks/{check_id}/output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The end of what the server of a check wrote to stderr, its own claim; each reading is audited */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    name: string;
                    check_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            output: {
                                text: string;
                                size_bytes: number;
                                written_bytes: number;
                                /** Format: date-time */
                                updated_at: string;
                            };
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/mcp-servers/{name}/connect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in to a remote server before a session needs it, or again; answers with what to begin */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            authorization: {
                                /** Format: uuid */
                                id: string;
                                /** @enum {string} */
                                status: "pending" | "connected" | "expired" | "cancelled";
                                workspace: {
                                    /** Format: uuid */
                                    id: string;
                                    name: string;
                                    slug: string;
                                };
                                mcp_server: string;
                                session: {
                                    /** Format: uuid */
                                    id: string;
                                    agent: {
                                        /** Format: uuid */
                                        id: string;
                                        name: string;
                                    };
                                } | null;
                                parties: {
                                    issuer: string;
                                    resource: string;
                                    authorization_host: string;
                                } | null;
                                scopes: string[];
                                missing_scopes: string[] | null;
                                problem: string | null;
                                /** Format: uri */
                                origin: string;
                                /** Format: date-time */
                                expires_at: string;
                            };
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/mcp-servers/{name}/image-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Read the image of an entry again and say what replacing the entry would change */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            image_change: {
                                old_digest: string | null;
                                new_digest: string;
                                command_changed: boolean;
                                env: {
                                    added: string[];
                                    removed: string[];
                                    changed: string[];
                                };
                                tool_scopes: {
                                    added: string[];
                                    removed: string[];
                                    changed: string[];
                                };
                                scopes: string[];
                            };
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/mcp-servers/{name}/registration/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Accept another issuer or resource of a remote server, exactly as it was shown; for admins */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        issuer: string;
                        resource: string;
                    };
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            registration: {
                                /** @enum {string} */
                                status: "pending" | "ready" | "failed";
                                reason: string | null;
                                sign_in: ("none" | "headers" | "oauth") | null;
                                parties: {
                                    issuer: string;
                                    resource: string;
                                    authorization_host: string;
                                } | null;
                                found: {
                                    issuer: string;
                                    resource: string;
                                    authorization_host: string;
                                } | null;
                                scopes: string[];
                                client: {
                                    /** @enum {string} */
                                    kind: "pre_registered" | "metadata_document" | "registered";
                                    client_id: string;
                                } | null;
                                redirect_uri: string;
                                /** Format: date-time */
                                updated_at: string;
                            };
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/mcp-servers/{name}/registration/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Discover a remote server again, and register at its authorization server; for admins */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            registration: {
                                /** @enum {string} */
                                status: "pending" | "ready" | "failed";
                                reason: string | null;
                                sign_in: ("none" | "headers" | "oauth") | null;
                                parties: {
                                    issuer: string;
                                    resource: string;
                                    authorization_host: string;
                                } | null;
                                found: {
                                    issuer: string;
                                    resource: string;
                                    authorization_host: string;
                                } | null;
                                scopes: string[];
                                client: {
                                    /** @enum {string} */
                                    kind: "pre_registered" | "metadata_document" | "registered";
                                    client_id: string;
                                } | null;
                                redirect_uri: string;
                                /** Format: date-time */
                                updated_at: string;
                            };
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/mcp-servers/{name}/server.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The entry as a document of the MCP registry */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            $schema: string;
                            name: string;
                            description: string;
                            version: string;
                            packages?: {
                                /** @enum {string} */
                                registryType: "npm" | "pypi" | "oci";
                                identifier: string;
                                version?: string;
                                runtimeHint?: string;
                                transport: {
                                    /** @constant */
                                    type: "stdio";
                                };
                                packageArguments?: {
                                    /** @constant */
                                    type: "positional";
                                    value: string;
                                }[];
                                environmentVariables?: {
                                    name: string;
                                    description: string;
                                    isRequired: boolean;
                                    isSecret: boolean;
                                    default?: string;
                                    choices?: string[];
                                }[];
                            }[];
                            remotes?: {
                                /** @constant */
                                type: "streamable-http";
                                url: string;
                                headers?: {
                                    name: string;
                                    description: string;
                                    isRequired: boolean;
                                    isSecret: boolean;
                                    value: string;
                                    variables: {
                                        [key: string]: {
                                            description: string;
                                            isRequired: boolean;
                                            isSecret: boolean;
                                            default?: string;
                                            choices?: string[];
                                        };
                                    };
                                }[];
                            }[];
                            _meta: {
                                [key: string]: unknown;
                            };
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/mcp-servers/{name}/tool-definitions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The accepted definitions of the entry’s tools, in its current version or an earlier one */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                    version?: number;
                };
                header?: never;
                path: {
                    slug: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            pinned: {
                                version: number;
                                /** @enum {string} */
                                source: "check" | "session" | "earlier_version";
                                /** Format: date-time */
                                pinned_at: string;
                                pinned_by: string | null;
                            } | null;
                            tool_definitions: {
                                /** Format: uuid */
                                id: string;
                                /** @enum {string} */
                                part: "tool" | "instructions";
                                tool: string;
                                text: string;
                                is_cut: boolean;
                                /** Format: date-time */
                                seen_at: string;
                                session_id: string | null;
                                accepted_at: string | null;
                                accepted_by: string | null;
                            }[];
                            next_cursor: string | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/mcp-servers/{name}/tool-differences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Definitions that wait for an admin, each beside the accepted one: the server’s own claims */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                    version?: number;
                };
                header?: never;
                path: {
                    slug: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            tool_differences: {
                                /** Format: uuid */
                                id: string;
                                /** @enum {string} */
                                part: "tool" | "instructions";
                                tool: string;
                                text: string;
                                is_cut: boolean;
                                /** Format: date-time */
                                seen_at: string;
                                session_id: string | null;
                                /** @enum {string} */
                                kind: "new" | "changed";
                                accepted: {
                                    text: string;
                                    is_cut: boolean;
                                } | null;
                            }[];
                            next_cursor: string | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/mcp-servers/{name}/tool-differences/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Accept definitions that wait, by their ids; for admins. What was accepted before changes nothing */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        ids: string[];
                    };
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            accepted: number;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/mcp-servers/{name}/uses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Agents that attach the entry, secrets that are restricted to it, and scopes that it gates tools with */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    slug: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            agents: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                            }[];
                            secrets: string[];
                            scopes: string[];
                            next_cursor: string | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The members of a workspace with their names and roles; admins also read their e-mail addresses */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            members: components["schemas"]["ListedMember"][];
                            next_cursor: string | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        /** Add somebody who has signed in before, by the e-mail address that their provider vouches for */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** Format: email */
                        email: string;
                        /** @enum {string} */
                        role: "admin" | "member";
                    };
                };
            };
            responses: {
                /** @description Done */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            member: components["schemas"]["Member"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/members/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Add a person to the workspace by their id, or change their role */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    user_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @enum {string} */
                        role: "admin" | "member";
                    };
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            member: components["schemas"]["Member"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        post?: never;
        /** Remove a member: their grants are revoked, their schedules pause and their sessions end */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    user_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            ok: true;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/permission-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What agents asked for, newest first: all for admins, of own sessions and agents for members */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                    status?: "open" | "approved" | "denied" | "expired" | "cancelled";
                    session_id?: string;
                    tree?: string;
                };
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            permission_requests: components["schemas"]["PermissionRequest"][];
                            next_cursor: string | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/permission-requests/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How many requests are open, and how many of them the caller may decide; counts up to 1000 */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            open: number;
                            may_decide: number;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/permission-requests/{request_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One permission request */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    request_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            permission_request: components["schemas"]["PermissionRequest"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/permission-requests/{request_id}/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The very call that was refused before the agent asked, with its arguments: for those who may decide and may read the session */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    request_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            call: {
                                server: string;
                                tool: string;
                                digest: string;
                                arguments: string | null;
                            };
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/permission-requests/{request_id}/deny": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Deny a permission request; the agent reads the reason; mute refuses its session’s next ones at once */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    request_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        reason?: string;
                        /** @default false */
                        mute?: boolean;
                    };
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            permission_request: components["schemas"]["PermissionRequest"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/previews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Live previews, newest first: all for admins, those that they may open for members */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                    session_id?: string;
                };
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            previews: components["schemas"]["Preview"][];
                            next_cursor: string | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/previews/{preview_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One preview, also after its end */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    preview_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            preview: components["schemas"]["Preview"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        /** End a preview: its files are erased or its service is stopped, and it is closed wherever it is open */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    preview_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            preview: components["schemas"]["Preview"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/previews/{preview_id}/open": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open a preview: leads to an address of its own, which works for half an hour, or to its page when it is over */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    preview_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Bytes, or a redirect */
                302: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/reopen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Open a closed workspace again; no session, grant, sign-in, registration or run of a schedule comes back by itself */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": Record<string, never>;
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            workspace: components["schemas"]["Workspace"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The schedules of a workspace, newest first; prompts for those who may change them */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                    agent_id?: string;
                };
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            schedules: components["schemas"]["Schedule"][];
                            next_cursor: string | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        /** Have an agent run by a cron expression or an interval; its sessions count as the caller’s */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** Format: uuid */
                        agent_id: string;
                        name: string;
                        spec: {
                            /** @constant */
                            kind: "cron";
                            expression: string;
                        } | {
                            /** @constant */
                            kind: "interval";
                            every_seconds: number;
                        };
                        time_zone?: string;
                        prompt: string;
                        /**
                         * @default skip
                         * @enum {string}
                         */
                        overlap?: "skip" | "buffer_one" | "cancel_other" | "allow_all";
                        /** @default 600 */
                        catch_up_window_seconds?: number;
                        /** @default 86400 */
                        request_expiry_seconds?: number;
                    };
                };
            };
            responses: {
                /** @description Done */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            schedule: components["schemas"]["Schedule"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/schedules/{schedule_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One schedule, with its next times; these are null while Temporal does not answer */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    schedule_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            schedule: components["schemas"]["Schedule"];
                            outlook: components["schemas"]["ScheduleOutlook"] | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        /** Remove a schedule with what is known of its runs; its sessions stay, and continue */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    schedule_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            ok: true;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        options?: never;
        head?: never;
        /** Change a schedule; holds from the next run on */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    schedule_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** Format: uuid */
                        agent_id?: string;
                        name?: string;
                        spec?: {
                            /** @constant */
                            kind: "cron";
                            expression: string;
                        } | {
                            /** @constant */
                            kind: "interval";
                            every_seconds: number;
                        };
                        time_zone?: string;
                        prompt?: string;
                        /** @enum {string} */
                        overlap?: "skip" | "buffer_one" | "cancel_other" | "allow_all";
                        catch_up_window_seconds?: number;
                        request_expiry_seconds?: number;
                    };
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            schedule: components["schemas"]["Schedule"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        trace?: never;
    };
    "/api/workspaces/{slug}/schedules/{schedule_id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pause a schedule, with a note for those who find it paused; a running session continues */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    schedule_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        note?: string;
                    };
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            schedule: components["schemas"]["Schedule"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/schedules/{schedule_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Resume a schedule; it becomes the caller’s when its maker is no longer a member */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    schedule_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": Record<string, never>;
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            schedule: components["schemas"]["Schedule"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/schedules/{schedule_id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Run a schedule now, beside its times and by its policy on overlaps; the run appears in its history */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    schedule_id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": Record<string, never>;
                };
            };
            responses: {
                /** @description Done */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            /** @constant */
                            ok: true;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/schedules/{schedule_id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The outcome of each time of a schedule, newest first: its session, or why there is none */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    slug: string;
                    schedule_id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            runs: components["schemas"]["ScheduleRun"][];
                            next_cursor: string | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Metadata of all secrets, never a value */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                    include_uses?: "true" | "false";
                };
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            secrets: components["schemas"]["ListedSecret"][];
                            next_cursor: string | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/secrets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set or replace a secret */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        value: string;
                    };
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            secret: components["schemas"]["Secret"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        post?: never;
        /** Destroy the value; the name stays */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            secret: components["schemas"]["Secret"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        options?: never;
        head?: never;
        /** Say which MCP servers may be given this secret; null means any */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        allowed_servers: string[] | null;
                    };
                };
            };
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            secret: components["schemas"]["Secret"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        trace?: never;
    };
    "/api/workspaces/{slug}/secrets/{name}/uses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where the secret is referenced, and which MCP servers may be given it */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    slug: string;
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            allowed_servers: string[] | null;
                            uses: components["schemas"]["SecretUse"][];
                            next_cursor: string | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sessions, newest first: all for admins, own and shared ones for members */
        get: {
            parameters: {
                query?: {
                    cursor?: string;
                    limit?: number;
                    status?: "pending" | "validating" | "awaiting_authorization" | "starting" | "running" | "completed" | "failed" | "terminated";
                    waiting_for?: "approval" | "sign_in" | "answer";
                    agent_id?: string;
                    children?: "include" | "exclude";
                };
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            sessions: components["schemas"]["Session"][];
                            next_cursor: string | null;
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        /** Start a session of an agent, with the caller as its operator */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description The same request sent again with the same key has one effect and the same answer */
                    "Idempotency-Key"?: string;
                };
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** Format: uuid */
                        agent_id: string;
                        prompt: string;
                    };
                };
            };
            responses: {
                /** @description Done */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            session: components["schemas"]["SessionWithAncestors"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{slug}/system": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the platform runs on: workers, Temporal, runtime and what they lack; for admins */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    slug: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Done */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            system: components["schemas"]["SystemState"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Agent: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            workspace_id: string;
            owner_id: string | null;
            name: string;
            /** @enum {string} */
            kind: "worker" | "orchestrator";
            run: {
                /** @constant */
                type: "builtin";
                /** @enum {string} */
                name: "scripted" | "claude";
            } | {
                /** @constant */
                type: "command";
                command: string;
                /** @default [] */
                args: string[];
            } | {
                /** @constant */
                type: "image";
                image: string;
            };
            instructions: string;
            model: string | null;
            env: {
                [key: string]: string;
            };
            siblings: {
                name: string;
                run: {
                    /** @constant */
                    type: "builtin";
                    /** @enum {string} */
                    name: "scripted" | "claude";
                } | {
                    /** @constant */
                    type: "command";
                    command: string;
                    /** @default [] */
                    args: string[];
                } | {
                    /** @constant */
                    type: "image";
                    image: string;
                };
                /** @default {} */
                env: {
                    [key: string]: string;
                };
                /** @default null */
                port: number | null;
                /** @default null */
                ready: ({
                    /** @constant */
                    type: "port";
                    /** @default 60 */
                    timeout_seconds: number;
                } | {
                    /** @constant */
                    type: "command";
                    command: string;
                    /** @default [] */
                    args: string[];
                    /** @default 60 */
                    timeout_seconds: number;
                }) | null;
            }[];
            services: {
                name: string;
                run: {
                    /** @constant */
                    type: "builtin";
                    /** @enum {string} */
                    name: "scripted" | "claude";
                } | {
                    /** @constant */
                    type: "command";
                    command: string;
                    /** @default [] */
                    args: string[];
                } | {
                    /** @constant */
                    type: "image";
                    image: string;
                };
                /** @default {} */
                env: {
                    [key: string]: string;
                };
            }[];
            /** @enum {string} */
            network: "none" | "internet";
            egress_allow: string[];
            limits: {
                /** @default null */
                total_seconds: number | null;
                /** @default null */
                idle_seconds: number | null;
            };
            model_access: {
                api_key: string;
                models: string[];
                requests_per_session: number;
                tokens_per_session: number;
            } | null;
            archived_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            unavailable: {
                reason: string;
            } | null;
        };
        AgentAuthority: {
            agent: {
                /** Format: uuid */
                id: string;
                name: string;
                /** @enum {string} */
                kind: "worker" | "orchestrator";
                owner: {
                    /** Format: uuid */
                    id: string;
                    name: string;
                } | null;
            };
            /** @enum {string} */
            network: "none" | "internet";
            egress_allow: string[];
            remote: boolean;
            servers: {
                name: string;
                remote: boolean;
                /** @enum {string} */
                network: "none" | "internet";
                egress_allow: string[];
                /** @enum {string} */
                unlisted_tools: "allow" | "refuse";
                tool_scopes: string[];
                more_tool_scopes: number;
                secrets: string[];
                more_secrets: number;
            }[];
            more_servers: number;
            grants: {
                /** Format: uuid */
                id: string;
                /** @enum {string} */
                grant_type: "spawn" | "tool_scope" | "agent_env" | "model_key";
                details: {
                    [key: string]: unknown;
                };
                /** @enum {string} */
                scope: "once" | "session" | "persistent";
                child_agent: {
                    /** Format: uuid */
                    id: string;
                    name: string;
                } | null;
            }[];
            more_grants: number;
            channels: string[];
            more_channels: number;
            secrets: string[];
            more_secrets: number;
        };
        Artifact: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            session_id: string;
            name: string;
            mime_type: string;
            description: string | null;
            size_bytes: number;
            sha256: string;
            /** Format: date-time */
            created_at: string;
        };
        Attachment: {
            name: string;
            env: {
                [key: string]: string;
            };
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        AuditEvent: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            event: "workspace.created" | "workspace.settings_updated" | "workspace.closed" | "workspace.reopened" | "workspace.embedding_provider.set" | "workspace.embedding_provider.removed" | "workspace.member.added" | "workspace.member.role_changed" | "workspace.member.removed" | "workspace.member.moved" | "workspace.secret.set" | "workspace.secret.replaced" | "workspace.secret.cleared" | "workspace.secret.restricted" | "workspace.mcp.registered" | "workspace.mcp.updated" | "workspace.mcp.removed" | "workspace.mcp.checked" | "workspace.mcp.check_output_read" | "workspace.mcp.tools_pinned" | "workspace.mcp.tools_changed" | "workspace.mcp.tools_accepted" | "workspace.mcp.registration_completed" | "workspace.mcp.registration_failed" | "workspace.mcp.registration_retried" | "workspace.mcp.issuer_accepted" | "workspace.mcp.client_deleted" | "workspace.channel.created" | "workspace.channel.updated" | "workspace.channel.removed" | "connection.created" | "connection.ended" | "connection.refused" | "connection.revoked" | "connection.tokens_refused" | "agent.created" | "agent.updated" | "agent.archived" | "agent.unarchived" | "agent.removed" | "agent.env_updated" | "agent.mcp.attached" | "agent.mcp.detached" | "agent.mcp.env_updated" | "grant.created" | "grant.consumed" | "grant.revoked" | "decision.withdrawn" | "permission_request.created" | "permission_request.approved" | "permission_request.denied" | "permission_request.expired" | "permission_request.cancelled" | "schedule.created" | "schedule.updated" | "schedule.paused" | "schedule.resumed" | "schedule.run_requested" | "schedule.removed" | "session.created" | "session.ended" | "session.muted" | "session.unmuted" | "session.output_read" | "session.message.posted" | "session.preview.deployed" | "session.preview.ended" | "model.budget_reached" | "session.mcp.tool_called" | "session.mcp.calls_refused";
            /** Format: date-time */
            at: string;
            actor: {
                /** @enum {string} */
                type: "user" | "agent" | "system";
                id: string | null;
                name: string | null;
            };
            /** Format: uuid */
            workspace_id: string;
            resource: {
                type: string;
                id: string;
                name: string;
            };
            session_id: string | null;
            data: {
                [key: string]: unknown;
            };
        };
        AuthOptions: {
            oidc: boolean;
            demo_people: {
                email: string;
                name: string;
            }[] | null;
        };
        Availability: {
            shapes: {
                command: string | null;
                image: string | null;
                remote: string | null;
            };
            runs: {
                scripted: string | null;
                command: string | null;
                image: string | null;
                claude: string | null;
            };
            commands: string[];
            unavailable_commands: {
                [key: string]: string;
            };
            internet: string | null;
            private_destinations: string | null;
            companions: string | null;
            model_access: string | null;
        };
        Channel: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            kind: "slack";
            address: string;
            announce_permission_requests: boolean;
            agents: {
                /** Format: uuid */
                id: string;
                name: string;
            }[];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            updated_by: string | null;
        };
        ChannelMessage: {
            /** Format: uuid */
            id: string;
            channel: string;
            /** @enum {string} */
            kind: "message" | "permission_request" | "test";
            /** @enum {string} */
            status: "pending" | "delivered" | "failed";
            failure: ("not_allowed" | "channel_removed" | "not_announced" | "request_closed" | "workspace_closed" | "too_many_waiting" | "secret_not_set" | "secret_not_allowed" | "secret_unreadable" | "address_invalid" | "address_refused" | "redirected" | "rejected" | "rate_limited" | "receiver_failed" | "timed_out" | "unreachable" | "internal_error") | null;
            attempts: number;
            agent: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            session_id: string | null;
            request_id: string | null;
            /** Format: date-time */
            created_at: string;
            settled_at: string | null;
        };
        Collection: {
            name: string;
            dimensions: number;
            embedder: {
                /** @enum {string} */
                name: "given" | "local-hashed-ngrams" | "provider";
                model: string | null;
            };
            items: number;
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            created_by_session: string;
        };
        Configuration: {
            /** Format: uuid */
            session_id: string;
            /** Format: uuid */
            workspace_id: string;
            agent: {
                /** Format: uuid */
                id: string;
                name: string;
                /** @enum {string} */
                kind: "worker" | "orchestrator";
                run: {
                    /** @constant */
                    type: "builtin";
                    /** @enum {string} */
                    name: "scripted" | "claude";
                } | {
                    /** @constant */
                    type: "command";
                    command: string;
                    /** @default [] */
                    args: string[];
                } | {
                    /** @constant */
                    type: "image";
                    image: string;
                };
                /** @default null */
                image: {
                    digest: string;
                    command: string[];
                    /** @default [] */
                    volumes: string[];
                } | null;
                instructions: string;
                model: string | null;
                env: {
                    [key: string]: {
                        reference: string | null;
                    };
                };
                /** @enum {string} */
                network: "none" | "internet";
                egress_allow: string[];
                limits: {
                    /** @default null */
                    total_seconds: number | null;
                    /** @default null */
                    idle_seconds: number | null;
                };
                model_access?: {
                    api_key: {
                        reference: string | null;
                    };
                    models: string[];
                    requests_per_session: number;
                    tokens_per_session: number;
                };
            };
            prompt: string;
            servers: {
                name: string;
                /** Format: uuid */
                entry_id: string;
                entry_version: number;
                shape: components["schemas"]["Shape"];
                image_digest: string | null;
                /** @default null */
                image_command: string[] | null;
                /** @default null */
                image_volumes: string[] | null;
                /** @default null */
                registry_credentials: ({
                    /** @constant */
                    kind: "value";
                    value: string;
                } | {
                    /** @constant */
                    kind: "secret";
                    secret_name: string;
                    secret_version: number;
                }) | null;
                env: {
                    [key: string]: {
                        reference: string | null;
                    };
                };
                tool_scopes: {
                    [key: string]: string;
                };
                /**
                 * @default operator
                 * @enum {string}
                 */
                approvers: "operator" | "admin";
                /** @enum {string} */
                network: "none" | "internet";
                egress_allow: string[];
                /** @default [] */
                client_features: ("elicitation" | "roots" | "sampling")[];
                /**
                 * @default tell
                 * @enum {string}
                 */
                changed_tools: "tell" | "refuse";
                /**
                 * @default allow
                 * @enum {string}
                 */
                unlisted_tools: "allow" | "refuse";
                /** @default [] */
                listed_tools: string[];
                /** @default null */
                start_seconds: number | null;
                /** @default null */
                sign_in: ("none" | "headers" | "oauth") | null;
            }[];
            siblings: {
                name: string;
                run: {
                    /** @constant */
                    type: "builtin";
                    /** @enum {string} */
                    name: "scripted" | "claude";
                } | {
                    /** @constant */
                    type: "command";
                    command: string;
                    /** @default [] */
                    args: string[];
                } | {
                    /** @constant */
                    type: "image";
                    image: string;
                };
                /** @default null */
                image: {
                    digest: string;
                    command: string[];
                    /** @default [] */
                    volumes: string[];
                } | null;
                env: {
                    [key: string]: {
                        reference: string | null;
                    };
                };
                port?: number;
                ready?: {
                    /** @constant */
                    type: "port";
                    /** @default 60 */
                    timeout_seconds: number;
                } | {
                    /** @constant */
                    type: "command";
                    command: string;
                    /** @default [] */
                    args: string[];
                    /** @default 60 */
                    timeout_seconds: number;
                };
            }[];
            services: {
                name: string;
                run: {
                    /** @constant */
                    type: "builtin";
                    /** @enum {string} */
                    name: "scripted" | "claude";
                } | {
                    /** @constant */
                    type: "command";
                    command: string;
                    /** @default [] */
                    args: string[];
                } | {
                    /** @constant */
                    type: "image";
                    image: string;
                };
                /** @default null */
                image: {
                    digest: string;
                    command: string[];
                    /** @default [] */
                    volumes: string[];
                } | null;
                env: {
                    [key: string]: {
                        reference: string | null;
                    };
                };
            }[];
            service?: {
                port: number;
                /** Format: uuid */
                session_id?: string;
            };
            has_operator?: boolean;
            /** @default false */
            log_tool_payloads: boolean;
            /** Format: date-time */
            frozen_at: string;
        };
        EmbeddingProvider: {
            base_url: string;
            model: string;
            dimensions: number | null;
            api_key: string | null;
            /** Format: date-time */
            updated_at: string;
            updated_by: string | null;
        };
        EmbeddingProviderCheck: {
            /** @constant */
            outcome: "works";
            dimensions: number;
        } | {
            /** @constant */
            outcome: "failed";
            reason: string;
        };
        Error: {
            error: {
                /** @enum {string} */
                code: "malformed_request" | "unauthenticated" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "in_use" | "already_decided" | "workspace_closed" | "too_large" | "unsupported_media_type" | "validation_failed" | "rate_limited" | "internal_error" | "unavailable";
                message: string;
                fields?: components["schemas"]["FieldProblem"][];
                uses?: {
                    type: string;
                    id: string;
                    name: string;
                }[];
                request_id: string;
            };
        };
        FieldProblem: {
            path: string;
            code: string;
            message: string;
        };
        Grant: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            workspace_id: string;
            user_subject_id: string | null;
            agent_subject_id: string | null;
            grant_type: string;
            details: {
                [key: string]: unknown;
            };
            /** @enum {string} */
            scope: "once" | "session" | "persistent";
            session_id: string | null;
            reason: string | null;
            consumed_at: string | null;
            revoked_at: string | null;
            /** Format: uuid */
            granted_by_user_id: string;
            /** @enum {string} */
            granted_by_role: "admin" | "member";
            /** Format: date-time */
            granted_at: string;
            expires_at: string | null;
            request_id: string | null;
            bound_to: {
                /** Format: uuid */
                session_id: string;
                server: string | null;
                tool: string | null;
                call_digest: string | null;
            } | null;
            /** @enum {string} */
            state: "active" | "consumed" | "revoked" | "expired";
            exact_call: boolean;
            subject: {
                /** @enum {string} */
                type: "user" | "agent";
                /** Format: uuid */
                id: string;
                name: string;
            };
            granted_by: {
                /** Format: uuid */
                id: string;
                name: string;
            };
            revoked_by: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            revocation_cause: ("by_hand" | "member_removed" | "agent_changed" | "agent_archived" | "workspace_closed") | null;
            use_count: number;
            last_used_at: string | null;
            may_revoke: boolean;
            warnings: components["schemas"]["FieldProblem"][];
        };
        GraphCounts: {
            nodes: number;
            edges: number;
            types: {
                type: string;
                nodes: number;
            }[];
            relations: {
                relation: string;
                edges: number;
            }[];
            truncated: boolean;
        };
        InputMessage: {
            /** Format: uuid */
            id: string;
            seq: number;
            /** @enum {string} */
            kind: "user_message" | "permission_decision" | "input_answer" | "session_message" | "child_ended";
            text: string;
            decision: {
                /** Format: uuid */
                request_id: string;
                /** @enum {string} */
                grant_type: "tool_scope" | "spawn";
                details: {
                    [key: string]: unknown;
                };
                /** @enum {string} */
                status: "approved" | "denied" | "expired" | "cancelled";
                scope: ("once" | "session" | "persistent") | null;
                grant_id: string | null;
                reason: string | null;
            } | null;
            input_request_id: string | null;
            sender?: {
                /** @enum {string} */
                relation: "parent" | "child";
                /** Format: uuid */
                session_id: string;
                agent: {
                    /** Format: uuid */
                    id: string;
                    name: string;
                };
            };
            /** Format: date-time */
            at: string;
        };
        ListedChannel: {
            name: string;
            settings: {
                /** Format: uuid */
                id: string;
                /** @enum {string} */
                kind: "slack";
                address: string;
                announce_permission_requests: boolean;
                agents: {
                    /** Format: uuid */
                    id: string;
                    name: string;
                }[];
                /** Format: date-time */
                created_at: string;
                /** Format: date-time */
                updated_at: string;
                updated_by: string | null;
            } | null;
        };
        ListedMember: {
            user: {
                /** Format: uuid */
                id: string;
                email: string | null;
                name: string;
            };
            /** @enum {string} */
            role: "admin" | "member";
            /** Format: date-time */
            added_at: string;
        };
        ListedSecret: {
            name: string;
            is_set: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            updated_by: string | null;
            allowed_servers?: string[] | null;
            used_by?: {
                agents: number;
                mcp_servers: number;
                channels: number;
                embedding_providers: number;
            };
        };
        Manifest: {
            /** @default {} */
            env: {
                [key: string]: components["schemas"]["ManifestEnvField"];
            };
            /** @default {} */
            tool_scopes: {
                [key: string]: string;
            };
        };
        ManifestEnvField: {
            /** @enum {string} */
            kind: "secret" | "value";
            label: string;
            description?: string;
            required?: boolean;
            regex?: string;
            enum?: string[];
            default?: string;
        };
        McpCheck: {
            /** Format: uuid */
            id: string;
            mcp_server: {
                /** Format: uuid */
                id: string;
                name: string;
                version: number;
            };
            /** @enum {string} */
            status: "pending" | "starting" | "running" | "completed" | "failed" | "cancelled";
            reason: string | null;
            /** Format: uuid */
            started_by: string;
            /** Format: date-time */
            created_at: string;
            started_at: string | null;
            ended_at: string | null;
            process: {
                /** @enum {string} */
                state: "not_started" | "starting" | "ready" | "failed" | "ended";
                exit_code: number | null;
                signal: string | null;
                cause: ("container_not_running" | "program_not_found" | "program_not_executable" | "exited" | "packages_need_network" | "packages_not_loaded" | "package_not_found" | "registry_unreachable" | "network_unreachable" | "handshake_timeout" | "unreadable_answer" | "not_ready_in_time") | null;
                handshake_ms: number | null;
                starts: number;
                output_size_bytes: number | null;
                faults: {
                    /** @enum {string} */
                    reason: "too_large" | "no_memory" | "too_slow" | "too_many_values" | "byte_order_mark" | "control_byte" | "not_utf8" | "several_lines" | "not_json" | "batch" | "not_an_object" | "duplicate_key" | "bad_key" | "too_deep" | "unknown_member" | "bad_version" | "bad_id" | "other_id" | "bad_method" | "bad_params" | "bad_result" | "bad_error" | "mixed_message" | "bad_input_request" | "client_feature_not_allowed" | "too_many_rounds" | "not_in_time";
                    count: number;
                }[];
            } | null;
            listing: {
                /** @enum {string} */
                outcome: "listed" | "not_connected" | "refused" | "timed_out" | "not_understood";
                tools: {
                    name: string;
                    title: string | null;
                    description: string | null;
                    hints: {
                        read_only: boolean | null;
                        destructive: boolean | null;
                        idempotent: boolean | null;
                        open_world: boolean | null;
                    };
                }[];
                left_out: number;
                is_cut: boolean;
                list_ms: number | null;
            } | null;
        };
        McpServer: {
            /** Format: uuid */
            id: string;
            name: string;
            shape: components["schemas"]["Shape"];
            manifest: components["schemas"]["Manifest"];
            /** @enum {string} */
            manifest_source: "image" | "pasted" | "none";
            version: number;
            image_digest: string | null;
            image_command: string[] | null;
            image_volumes: string[] | null;
            /** @enum {string} */
            network: "none" | "internet";
            egress_allow: string[];
            /** @enum {string} */
            approvers: "operator" | "admin";
            client_features: ("elicitation" | "roots" | "sampling")[];
            /** @enum {string} */
            changed_tools: "tell" | "refuse";
            /** @enum {string} */
            unlisted_tools: "allow" | "refuse";
            listed_tools: string[];
            start_seconds: number | null;
            /** Format: date-time */
            created_at: string;
            created_by: string | null;
            /** Format: date-time */
            updated_at: string;
            updated_by: string | null;
            unavailable: {
                reason: string;
            } | null;
            registration: {
                /** @enum {string} */
                status: "pending" | "ready" | "failed";
                reason: string | null;
                sign_in: ("none" | "headers" | "oauth") | null;
                parties: {
                    issuer: string;
                    resource: string;
                    authorization_host: string;
                } | null;
                found: {
                    issuer: string;
                    resource: string;
                    authorization_host: string;
                } | null;
                scopes: string[];
                client: {
                    /** @enum {string} */
                    kind: "pre_registered" | "metadata_document" | "registered";
                    client_id: string;
                } | null;
                redirect_uri: string;
                /** Format: date-time */
                updated_at: string;
            } | null;
        };
        Me: {
            user: components["schemas"]["User"];
            workspaces: {
                /** Format: uuid */
                id: string;
                slug: string;
                name: string;
                /** @enum {string} */
                role: "admin" | "member";
                closed_at: string | null;
                reopenable_until: string | null;
            }[];
        };
        Member: {
            user: components["schemas"]["User"];
            /** @enum {string} */
            role: "admin" | "member";
            /** Format: date-time */
            added_at: string;
        };
        ModelUsage: {
            requests: number;
            failed_requests: number;
            input_tokens: number;
            cache_creation_input_tokens: number;
            cache_read_input_tokens: number;
            output_tokens: number;
            reserved_tokens: number;
            counted_tokens: number;
            requests_limit: number;
            tokens_limit: number;
            reached: ("requests" | "tokens") | null;
        };
        OpenCallList: {
            open_calls: {
                /** Format: uuid */
                call_id: string;
                server: string;
                tool: string;
                /** Format: date-time */
                started_at: string;
                progressed_at: string | null;
            }[];
            count: number;
        };
        PermissionRequest: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            session_id: string;
            /** Format: uuid */
            agent_id: string;
            /** @enum {string} */
            grant_type: "tool_scope" | "spawn";
            details: {
                [key: string]: unknown;
            };
            /** @enum {string} */
            scope: "once" | "session" | "persistent";
            justification: string | null;
            /** @enum {string} */
            status: "open" | "approved" | "denied" | "expired" | "cancelled";
            refused_call: {
                server: string;
                tool: string;
                digest: string | null;
                arguments_size_bytes: number | null;
            } | null;
            grant_id: string | null;
            decided_by: string | null;
            decided_at: string | null;
            reason: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            agent: {
                /** Format: uuid */
                id: string;
                name: string;
            };
            operator: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            root_operator: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            child_agent: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            chain: {
                /** Format: uuid */
                session_id: string;
                agent: {
                    /** Format: uuid */
                    id: string;
                    name: string;
                };
                label: string | null;
            }[];
            decider: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            tools: {
                server: string;
                tool: string;
            }[];
            more_tools: number;
            may_decide: boolean;
            may_mute: boolean;
            may_grant: {
                agent: ("once" | "session" | "persistent")[];
                operator: ("once" | "session" | "persistent")[];
            };
        };
        Preview: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            session_id: string;
            title: string | null;
            /** @enum {string} */
            audience: "workspace" | "session";
            service: string | null;
            files: number;
            size_bytes: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            ended_at: string | null;
            agent: {
                /** Format: uuid */
                id: string;
                name: string;
            };
            service_status: {
                /** @enum {string} */
                state: "pending" | "starting" | "running" | "stopped" | "failed";
                reason: string | null;
            } | null;
            is_live: boolean;
            may_end: boolean;
            may_read_session: boolean;
            session_ended: boolean | null;
        };
        RefusedCalls: {
            server: string;
            tool: string;
            /** @enum {string} */
            outcome: "ok" | "tool_error" | "protocol_error" | "permission_required" | "waiting" | "refused" | "server_unavailable" | "cancelled" | "unknown";
            count: number;
            /** Format: date-time */
            first_minute: string;
            /** Format: date-time */
            last_minute: string;
        };
        RemovedWithAgent: {
            sessions: number;
            artifacts: number;
            permission_requests: number;
            grants: number;
            schedules: number;
        };
        Schedule: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            workspace_id: string;
            agent_id: string | null;
            maker_id: string | null;
            name: string;
            spec: {
                /** @constant */
                kind: "cron";
                expression: string;
            } | {
                /** @constant */
                kind: "interval";
                every_seconds: number;
            };
            time_zone: string;
            prompt: string | null;
            /** @enum {string} */
            overlap: "skip" | "buffer_one" | "cancel_other" | "allow_all";
            catch_up_window_seconds: number;
            request_expiry_seconds: number;
            paused_at: string | null;
            pause_reason: ("person" | "maker_left" | "agent_removed" | "agent_archived" | "workspace_closed") | null;
            pause_note: string | null;
            version: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            agent: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            maker: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            may_change: boolean;
        };
        ScheduleOutlook: {
            next_times: string[];
            skipped_for_overlap: number;
            missed: number;
        };
        ScheduleRun: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            scheduled_at: string;
            /** Format: date-time */
            created_at: string;
            /** @enum {string} */
            outcome: "started" | "paused" | "maker_left" | "agent_removed" | "agent_archived" | "workspace_closed" | "limit_reached" | "too_late" | "repeated";
            detail: string | null;
            session_id: string | null;
            session_status: ("pending" | "validating" | "awaiting_authorization" | "starting" | "running" | "completed" | "failed" | "terminated") | null;
            session_status_reason: string | null;
        };
        Secret: {
            name: string;
            is_set: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            updated_by: string | null;
        };
        SecretUse: {
            /** @enum {string} */
            kind: "mcp_attachment" | "agent_env" | "model_key" | "sibling_env" | "service_env" | "registry_secret" | "channel_address" | "embedding_provider";
            agent: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            name: string | null;
            variable: string | null;
        };
        Session: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            workspace_id: string;
            /** Format: uuid */
            agent_id: string;
            operator_id: string | null;
            root_operator_id: string | null;
            parent_session_id: string | null;
            schedule_id: string | null;
            schedule_maker_id: string | null;
            /** @enum {string} */
            status: "pending" | "validating" | "awaiting_authorization" | "starting" | "running" | "completed" | "failed" | "terminated";
            status_reason: string | null;
            prompt: string;
            outcome: {
                /** @enum {string} */
                outcome: "completed" | "failed";
                summary: string | null;
            } | null;
            /** Format: date-time */
            created_at: string;
            started_at: string | null;
            ended_at: string | null;
            agent: {
                /** Format: uuid */
                id: string;
                name: string;
            };
            operator: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            root_operator: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            parent_agent: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            label: string | null;
            schedule: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            schedule_maker: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            permission_requests_muted: boolean;
            waiting_for: ("approval" | "sign_in" | "answer") | null;
            may_message: boolean;
            may_terminate: boolean;
            may_mute: boolean;
            workflow: {
                id: string;
                url: string | null;
            };
        };
        SessionEvent: {
            /** Format: uuid */
            id: string;
            seq: number;
            /** Format: uuid */
            session_id: string;
            /** @enum {string} */
            type: "session.status_changed" | "session.authorization_required" | "session.server_failed" | "session.answer_refused" | "session.tools_changed" | "user.message" | "agent.message" | "agent.channel_message" | "agent.status" | "agent.artifact" | "agent.input_requested" | "agent.shared" | "agent.preview" | "agent.error" | "agent.permission_request" | "permission.decided" | "session.message" | "child.started" | "child.ended" | "platform.notice";
            /** Format: date-time */
            at: string;
            actor: {
                /** @enum {string} */
                type: "user" | "agent" | "system";
                id: string | null;
            };
            payload: {
                [key: string]: unknown;
            };
        };
        SessionProcess: {
            /** @enum {string} */
            kind: "agent" | "server" | "sibling";
            name: string;
            /** @enum {string} */
            state: "not_started" | "starting" | "ready" | "failed" | "ended";
            exit_code: number | null;
            signal: string | null;
            cause: ("container_not_running" | "program_not_found" | "program_not_executable" | "exited" | "packages_need_network" | "packages_not_loaded" | "package_not_found" | "registry_unreachable" | "network_unreachable" | "handshake_timeout" | "unreadable_answer" | "not_ready_in_time") | null;
            handshake_ms: number | null;
            starts: number;
            ready_limit_seconds: number | null;
            updated_at: string | null;
            output_size_bytes: number | null;
            faults: {
                /** @enum {string} */
                reason: "too_large" | "no_memory" | "too_slow" | "too_many_values" | "byte_order_mark" | "control_byte" | "not_utf8" | "several_lines" | "not_json" | "batch" | "not_an_object" | "duplicate_key" | "bad_key" | "too_deep" | "unknown_member" | "bad_version" | "bad_id" | "other_id" | "bad_method" | "bad_params" | "bad_result" | "bad_error" | "mixed_message" | "bad_input_request" | "client_feature_not_allowed" | "too_many_rounds" | "not_in_time";
                count: number;
            }[];
        };
        SessionWithAncestors: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            workspace_id: string;
            /** Format: uuid */
            agent_id: string;
            operator_id: string | null;
            root_operator_id: string | null;
            parent_session_id: string | null;
            schedule_id: string | null;
            schedule_maker_id: string | null;
            /** @enum {string} */
            status: "pending" | "validating" | "awaiting_authorization" | "starting" | "running" | "completed" | "failed" | "terminated";
            status_reason: string | null;
            prompt: string;
            outcome: {
                /** @enum {string} */
                outcome: "completed" | "failed";
                summary: string | null;
            } | null;
            /** Format: date-time */
            created_at: string;
            started_at: string | null;
            ended_at: string | null;
            agent: {
                /** Format: uuid */
                id: string;
                name: string;
            };
            operator: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            root_operator: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            parent_agent: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            label: string | null;
            schedule: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            schedule_maker: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            permission_requests_muted: boolean;
            waiting_for: ("approval" | "sign_in" | "answer") | null;
            may_message: boolean;
            may_terminate: boolean;
            may_mute: boolean;
            workflow: {
                id: string;
                url: string | null;
            };
            ancestors: {
                /** Format: uuid */
                id: string;
                agent: {
                    /** Format: uuid */
                    id: string;
                    name: string;
                };
                label: string | null;
            }[];
        };
        Shape: {
            /** @constant */
            type: "image";
            image: string;
            registry_secret?: string;
        } | {
            /** @constant */
            type: "command";
            command: string;
            /** @default [] */
            args: string[];
        } | {
            /** @constant */
            type: "remote";
            /** Format: uri */
            url: string;
            headers?: {
                name: string;
                /** @default  */
                prefix: string;
                variable: string;
            }[];
            client?: {
                client_id: string;
                client_secret?: string;
            };
        };
        Share: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            session_id: string;
            title: string;
            /** @constant */
            audience: "workspace";
            artifact_id: string | null;
            text: string | null;
            expires_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        SystemState: {
            /** @enum {string} */
            runtime: "process" | "container" | "kubernetes";
            database: {
                version: string;
            };
            temporal: {
                is_reachable: boolean;
            };
            workers: {
                /** Format: uuid */
                id: string;
                capabilities: {
                    /** @enum {string} */
                    runtime: "process" | "container" | "kubernetes";
                    sandbox: boolean;
                    internet: boolean;
                    commands: string[] | null;
                    /** @default [] */
                    missing_commands: string[];
                    /** @default [] */
                    limits: string[];
                    /** @default false */
                    claude: boolean;
                };
                /** Format: date-time */
                started_at: string;
                /** Format: date-time */
                seen_at: string;
                is_running: boolean;
            }[];
            registries: {
                private_count: number;
            };
            availability: components["schemas"]["Availability"];
        };
        ToolCall: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            at: string;
            server: string;
            tool: string;
            duration_ms: number;
            /** @enum {string} */
            outcome: "ok" | "tool_error" | "protocol_error" | "permission_required" | "waiting" | "refused" | "server_unavailable" | "cancelled" | "unknown";
            reason: ("too_large" | "no_memory" | "too_slow" | "too_many_values" | "byte_order_mark" | "control_byte" | "not_utf8" | "several_lines" | "not_json" | "batch" | "not_an_object" | "duplicate_key" | "bad_key" | "too_deep" | "unknown_member" | "bad_version" | "bad_id" | "other_id" | "bad_method" | "bad_params" | "bad_result" | "bad_error" | "mixed_message" | "bad_input_request" | "client_feature_not_allowed" | "too_many_rounds" | "not_in_time") | null;
            granted_via: string | null;
        };
        User: {
            /** Format: uuid */
            id: string;
            email: string;
            name: string;
        };
        Workspace: {
            /** Format: uuid */
            id: string;
            slug: string;
            name: string;
            settings: {
                log_tool_payloads: boolean;
                allow_runtime_permission_requests: boolean;
                keep_refused_calls: boolean;
                members_grant_persistent: boolean;
                tool_call_retention_days: number | null;
            };
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            closed_at: string | null;
            closed_by: string | null;
            reopenable_until: string | null;
        };
    };
    responses: {
        /** @description Refused or failed */
        Failure: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
