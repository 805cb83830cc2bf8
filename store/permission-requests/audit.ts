import { subjectMatter } from '../../contract/grant.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';

export function requestResource(request: PermissionRequest) {
  return {
    type: 'permission_request',
    id: request.id,
    name: subjectMatter(request.grant_type, request.details),
  };
}
