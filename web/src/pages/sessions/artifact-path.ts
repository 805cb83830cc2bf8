/** Where an artifact's bytes are. The API sends them as a download that no browser opens as a page. */
export const artifactPath = (sessionId: string, artifactId: string): string =>
  `/api/sessions/${encodeURIComponent(sessionId)}/artifacts/${encodeURIComponent(artifactId)}`;
