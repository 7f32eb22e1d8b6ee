import { useQuery } from '@tanstack/react-query';
import { getWorkflow, keys, listVersions, listWorkflows } from '../../api/index.js';

export function useWorkflows(node: string, enabled = true) {
  return useQuery({
    queryKey: keys.workflows(node),
    queryFn: ({ signal }) => listWorkflows(node, signal),
    enabled,
  });
}

export function useWorkflow(node: string, name: string, enabled = true) {
  return useQuery({
    queryKey: keys.workflow(node, name),
    queryFn: ({ signal }) => getWorkflow(node, name, signal),
    enabled,
  });
}

export function useVersions(node: string, name: string) {
  return useQuery({
    queryKey: keys.versions(node, name),
    queryFn: ({ signal }) => listVersions(node, name, signal),
  });
}
