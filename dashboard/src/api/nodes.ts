import { createGatewayClient, type MachineDetail, type MachineJson } from '@uncaged/protocol/api';

/** Every node the gateway knows, by name. */
export async function listNodes(signal?: AbortSignal): Promise<MachineJson[]> {
  return (await createGatewayClient().listNodes({ signal })).items;
}

export function getMachine(node: string, signal?: AbortSignal): Promise<MachineDetail> {
  return createGatewayClient().getMachine({ params: { node }, signal });
}
