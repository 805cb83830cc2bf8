/**
 * Why an answer of an MCP server did not reach its agent: a closed list, which never includes
 * anything that the server wrote.
 */
import * as z from 'zod';

/** Each as the end of a sentence about the answer. */
export const answerFaultText = {
  too_large: 'it is larger than an answer may be',
  no_memory: 'it is large, and other large answers of the session took the memory for it; ask again',
  too_slow: 'it is large, and did not end in time',
  too_many_values: 'it is large and has too many JSON values',
  byte_order_mark: 'it begins with a byte order mark',
  control_byte: 'it has a control character where JSON allows none',
  not_utf8: 'it is not UTF-8',
  several_lines: 'it is written over several lines, and a message is one line',
  not_json: 'it is not valid JSON (NaN and Infinity are none)',
  batch: 'it is a list of messages, which this protocol does not have',
  not_an_object: 'it is not a JSON object',
  duplicate_key: 'an object in it has a key twice',
  bad_key: 'a key in it is not read alike by every program',
  too_deep: 'it is nested too deeply',
  unknown_member: 'it has members that a message does not have',
  bad_version: 'its member jsonrpc is not "2.0"',
  bad_id: 'it has no id, or one that no request can have',
  other_id: 'its id is not written as in the request',
  bad_method: 'its method is no text',
  bad_params: 'its params are no object',
  bad_result: 'its result, or the _meta in it, is no object',
  bad_error: 'its error has no whole number as its code, or no text as its message',
  mixed_message: 'it has both a result and an error, or neither',
  bad_input_request: 'it asks for input in a way that the protocol does not have',
  client_feature_not_allowed: 'it asks for what the catalog entry does not allow the server to ask',
  too_many_rounds: 'it asks for input once more than is allowed',
  not_in_time: 'it did not come in time',
} as const;
export type AnswerFault = keyof typeof answerFaultText;
export const answerFault = z.enum(Object.keys(answerFaultText) as AnswerFault[]);

/** How often each happened, of one server in one session. */
export const answerFaultCount = z.strictObject({ reason: answerFault, count: z.int().positive() });
export type AnswerFaultCount = z.infer<typeof answerFaultCount>;
