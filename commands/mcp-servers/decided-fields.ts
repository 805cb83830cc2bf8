import { emptyManifest, type Manifest, type McpServerInput } from '../../contract/catalog.ts';
import type { DecidedFields } from '../../store/mcp-servers/change.ts';
import type { RegistrationAddresses } from '../mcp-registrations/follow-entry.ts';

/** What was read from an entry's image; the manifest is the pasted one where there is one. */
export interface EntryImage {
  digest: string;
  command: string[];
  volumes: string[];
  manifest: Manifest;
  manifestSource: 'image' | 'pasted' | 'none';
}

/** An entry as an admin saves it. */
export interface EntrySave {
  input: McpServerInput;
  image: EntryImage | null;
  userId: string;
  addresses: RegistrationAddresses;
}

/** Returns what an admin decides of an entry, with what its image says; no manifest without an image or a pasted one. */
export function decidedFields(input: McpServerInput, image: EntryImage | null): DecidedFields {
  return {
    shape: input.shape,
    manifest: image?.manifest ?? input.manifest ?? emptyManifest,
    manifest_source: image?.manifestSource ?? (input.manifest === undefined ? 'none' : 'pasted'),
    image_digest: image?.digest ?? null,
    image_command: image?.command ?? null,
    image_volumes: image?.volumes ?? null,
    network: input.network,
    egress_allow: input.egress_allow,
    approvers: input.approvers,
    client_features: input.client_features,
    changed_tools: input.changed_tools,
    unlisted_tools: input.unlisted_tools,
    listed_tools: input.listed_tools,
    start_seconds: input.start_seconds,
  };
}
