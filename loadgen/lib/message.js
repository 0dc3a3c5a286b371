/**
 * Text that differs for each connection, and from one message of it to the next, so that an echo from elsewhere is noticed. One
 * byte tells neighbours apart; more tell all.
 *
 * @param {number} bytes each
 * @returns {(connection: number, number: number) => string} number: of the message, from 0
 */
export function messagesOf(bytes) {
  const filler = "x".repeat(bytes);
  return (connection, number) =>
    (`${(connection + number) % 10}.${number}.${connection} ` + filler).substring(0, bytes);
}
