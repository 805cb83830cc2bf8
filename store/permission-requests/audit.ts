import type { PermissionRequest } from '../../contract/permission-request.ts';

/** What a grant or a request is about, in readable form: `tool_scope files.write`. */
export function subjectMatter(grantType: string, details: Record<string, unknown>): string {
  return [grantType, ...Object.values(details)].map(String).join(' ');
}

export function requestResource(request: PermissionRequest) {
  return {
    type: 'permission_request',
    id: request.id,
    name: subjectMatter(request.grant_type, request.details),
  };
}
